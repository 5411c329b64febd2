package report

import "io"

func Run(args []string, stdout io.Writer) error { return nil }
