package conformance

import (
	"flag"
	"os"
)

var long = flag.Bool("long", os.Getenv("AMPI_TEST_LONG") == "1", "repeat what is random, and try more numbers of ranks and workers, as make soak does")

// amount is how often a test repeats what does not come out the same each time, or how long a row of its table is: few unless -long asks for many.
func amount[N any](few, many N) N {
	if *long {
		return many
	}
	return few
}
