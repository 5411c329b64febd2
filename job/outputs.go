package job

import (
	"os"

	"ampirun/internal/refusal"
)

// checkOutputs refuses files that would be written over the program, or over each other.
func (o Options) checkOutputs(program string) error {
	switch {
	case sameRegular(o.Trace, program):
		return refusal.New(refusal.CodeUsage, "+trace %s: that is the program; the timeline needs a file of its own", o.Trace)
	case sameRegular(o.Record, program):
		return refusal.New(refusal.CodeUsage, "+lb-record %s: that is the program; what is recorded needs a file of its own", o.Record)
	case o.Trace != "" && (o.Trace == o.Record && !isDevice(o.Trace) || sameRegular(o.Trace, o.Record)):
		return refusal.New(refusal.CodeUsage, "+trace %s: +lb-record writes to that file, too; name another one", o.Trace)
	}
	return nil
}

// sameRegular tells whether both names are of one regular file.
func sameRegular(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	first, err := os.Stat(a)
	if err != nil || !first.Mode().IsRegular() {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

func isDevice(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.Mode().IsRegular()
}
