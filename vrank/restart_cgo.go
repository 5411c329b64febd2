package vrank

/*
#include "vrank/core/inbox.h"
#include "vrank/freeze/restart.h"
#include "vrank/libc/preempt.h"

static int is_asleep(void) { return vr_job->magic == VR_JOB_ASLEEP; }
static int lacks_registers(void) { return !vr_preempt_can_restore(vr_job->registers); }
static int most_pes(void) { return vr_job_most_pes(vr_job); }
*/
import "C"

import (
	"errors"
	"fmt"
)

// Restart is what a job needs besides its memory to go on after a restart.
type Restart struct {
	Files [][]File // by rank
}

// restartJob makes the structures of a job that was saved fit for these workers. PE 0.
func (w *worker) restartJob() error {
	l := w.layout.toC()
	switch most := int(C.most_pes()); {
	case C.is_asleep() == 0:
		return errors.New("what was restored is no job that was frozen")
	case int(C.vr_job.ranks) != w.cfg.Ranks || C.vr_job.layout != l:
		return errors.New("the program takes other places in memory than it did when the checkpoint was made: it is not the same program, or not the same ampirun")
	case C.lacks_registers() != 0:
		return errors.New("its ranks have values in vector registers that this processor lacks: restart it on one like that on which the checkpoint was made")
	case w.cfg.PEs > most:
		return fmt.Errorf("+p %d: the job can be restarted with %d workers at most", w.cfg.PEs, most)
	}
	C.vr_job_restart(C.int(w.cfg.PEs))
	return nil
}

// restartRanks takes in the ranks that are this worker's, as if they had come from another one.
func (w *worker) restartRanks() error {
	for id := range w.cfg.Ranks {
		if r := rankAt(id); r.owner() == w.cfg.PE {
			if err := w.restartRank(r); err != nil {
				return fmt.Errorf("restart rank %d: %w", id, err)
			}
		}
	}
	return nil
}

func (w *worker) restartRank(r *rank) error {
	if r.isEnded() {
		return cError(C.vr_rank_restart(&r.c))
	}
	if err := w.attachRank(r); err != nil {
		return err
	}
	files := w.cfg.Restart.Files[r.number()]
	if err := openFiles(files); err != nil {
		return err
	}
	r.dropContents(files)
	return cError(C.vr_rank_restart(&r.c))
}

// readInboxes looks for what was on its way to ranks when they were saved. All ranks of the job are there.
func (w *worker) readInboxes() {
	if w.cfg.Restart == nil {
		return
	}
	for _, r := range w.ranks() {
		if !r.isEnded() {
			C.vr_inbox_drain(&r.c)
		}
	}
}
