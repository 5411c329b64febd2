package vrank

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Lock is a lock that an open file has on its file.
type Lock struct {
	Whole bool // flock's; else one of a record
	Write bool
	From  int64
	To    int64 // the last byte; -1: the end of the file
}

// keepLocks notes the locks of an open file, by lines such as "1: OFDLCK ADVISORY WRITE -1 00:13:11691 0 EOF".
func (f *File) keepLocks() error {
	return facts(f.Number, func(name, value string) error {
		field := strings.Fields(value)
		if name != "lock" || len(field) < 8 {
			return nil
		}
		l := Lock{Whole: field[1] == "FLOCK", Write: field[3] == "WRITE", To: -1}
		if !l.Whole && field[1] != "OFDLCK" {
			return fmt.Errorf("%s has a lock that cannot be had again (%s): checkpoints have to wait until that is given back", f.Path, field[1])
		}
		var err error
		if l.From, err = strconv.ParseInt(field[6], 10, 64); err == nil && field[7] != "EOF" {
			l.To, err = strconv.ParseInt(field[7], 10, 64)
		}
		f.Locks = append(f.Locks, l)
		return err
	})
}

// lockAgain locks what was locked.
func (f *File) lockAgain(fd int) error {
	for _, l := range f.Locks {
		if err := patiently(func() error { return l.set(fd) }); err != nil {
			return fmt.Errorf("lock %s again: %w", f.Path, err)
		}
	}
	return nil
}

func (l Lock) set(fd int) error {
	if l.Whole {
		how := unix.LOCK_SH
		if l.Write {
			how = unix.LOCK_EX
		}
		return unix.Flock(fd, how|unix.LOCK_NB)
	}
	record := unix.Flock_t{Type: unix.F_RDLCK, Start: l.From}
	if l.Write {
		record.Type = unix.F_WRLCK
	}
	if l.To >= 0 {
		record.Len = l.To - l.From + 1
	}
	return unix.FcntlFlock(uintptr(fd), unix.F_OFD_SETLK, &record)
}
