package main

import (
	"errors"
	"fmt"
	"time"

	"ampirun/checkpoint/buddy"
	"ampirun/job"
)

// copyPeriod is how often a job is copied that is to outlive its workers, unless something else is said.
const copyPeriod = 10 * time.Second

func parseFT(v string) (string, error) {
	if v != job.FTMemory && v != job.FTDisk {
		return "", fmt.Errorf("not one of: %s, %s", job.FTMemory, job.FTDisk)
	}
	return v, nil
}

func setBuddy(s *settings, v string) error {
	if v != job.NoBuddy {
		to, err := buddy.ParseTarget(v)
		if err != nil {
			return err
		}
		v = to.String()
	}
	s.ckpt().Buddy = v
	return nil
}

// completeKeeping checks what is said of checkpoints and failures, and fills in the rest.
func (s *settings) completeKeeping() error {
	ft, c := s.job.FT, s.job.Checkpoints
	hasDir := c != nil && c.Dir != ""
	switch {
	case c != nil && c.Buddy != "" && !hasDir:
		return errors.New("+ckpt-buddy: name a directory here, too, with +ckpt DIR")
	case ft != nil && ft.Mode == "":
		return errors.New("+ft-shrink and its kin: say where to go on from with +ft memory or +ft disk")
	case ft != nil && ft.Mode == job.FTDisk && !hasDir:
		return errors.New("+ft disk: name a directory with +ckpt DIR")
	case ft == nil && c != nil && !hasDir:
		return errors.New("+ckpt-every and its kin: name a directory with +ckpt DIR")
	case ft == nil:
		return nil
	}
	if c := s.ckpt(); c.Every == 0 && c.MTBF == 0 {
		c.Every = copyPeriod
	}
	return nil
}
