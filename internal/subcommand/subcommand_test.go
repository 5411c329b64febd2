package subcommand

import (
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

func TestOptionsFirst(t *testing.T) {
	verbs := []*cli.Command{
		{Name: "ls", Flags: []cli.Flag{&cli.BoolFlag{Name: "json"}, &cli.StringFlag{Name: "out", Aliases: []string{"o"}}}},
		{Name: "rm", Flags: []cli.Flag{&cli.BoolFlag{Name: "out"}}},
	}
	for from, want := range map[string]string{
		"":                       "",
		"ls":                     "ls",
		"ls dir 3 --json":        "ls --json dir 3",
		"ls dir -o file 3":       "ls -o file dir 3",
		"ls dir --out=file 3":    "ls --out=file dir 3",
		"ls dir --nonsense 3":    "ls --nonsense dir 3",
		"ls dir -- --json":       "ls dir -- --json",
		"ls - dir --out":         "ls --out - dir",
		"rm dir --out 3":         "rm --out dir 3",
		"--help":                 "--help",
		"ls --json dir -o a b c": "ls --json -o a dir b c",
	} {
		if got := strings.Join(OptionsFirst(verbs, strings.Fields(from)), " "); got != want {
			t.Errorf("%q: %q, want %q", from, got, want)
		}
	}
}
