package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"

	"ampirun/internal/safefile"
)

// Damage is an error about a file that is not what was written: cut off, changed, another one or missing.
type Damage struct {
	File   string
	Reason string
}

func (d *Damage) Error() string { return d.File + ": " + d.Reason }

func damaged(file, format string, args ...any) error {
	return &Damage{File: file, Reason: fmt.Sprintf(format, args...)}
}

// missing makes damage of an error about a file that is not there.
func missing(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return damaged(path, "it is missing")
	}
	return notOurs(err)
}

// notOurs makes damage of an error about what somebody else has put there.
func notOurs(err error) error {
	var other *safefile.NotOwned
	if errors.As(err, &other) {
		return &Damage{other.Path, fmt.Sprintf("it belongs to %s and not to %s", safefile.UserName(other.Owner), safefile.UserName(other.Wants))}
	}
	return err
}

func wrongSize(path string, is int64, was uint64) error {
	return damaged(path, "it has %d bytes of the %d that were written", is, was)
}
