package vrank

import (
	"fmt"
	"time"
)

// abandonTime is how long a worker that reported the end of the job waits to be told to stop: the manager may ask all others first where
// their ranks are.
const abandonTime = time.Minute

// loop is the PE loop: it lets the core run ranks and does what they need Go for. It returns when all ranks of this worker
// have ended, or the job is stopped.
func (w *worker) loop() error {
	var resume *rankContext
	call := new(Call)
	for {
		why, left := runRanks(resume)
		resume = nil
		switch why {
		case reasonServe:
			w.serve(left, call)
			resume = left
		case reasonMoves:
			if err := w.move(); err != nil {
				return err
			}
		case reasonFreezes:
			if err := w.freeze(); err == errHalted {
				return nil
			} else if err != nil {
				return err
			}
		case reasonSaves:
			w.send(Event{Kind: EventSave, Rank: left.rank().number()})
		case reasonSavesInMemory:
			w.send(Event{Kind: EventSave, Rank: left.rank().number(), Memory: true})
		case reasonLeft:
			w.ended(left.rank())
		case reasonAborted:
			id := left.rank().number()
			w.finish(Event{Kind: EventAbort, Rank: id, Code: left.exited(), Text: fmt.Sprintf("rank %d: %s", id, left.text())})
			return nil
		case reasonFault:
			w.died(left)
			return nil
		case reasonDeadlock:
			w.finish(Event{Kind: EventDeadlock, Rank: -1, Code: 1, Text: deadlockReport(w.cfg.Ranks, w.mpi.Name)})
			return nil
		case reasonEnded:
			w.images.Finish()
			w.done()
			return nil
		case reasonStopped:
			return nil
		}
	}
}

// serve carries out a call of a rank: MPI's, or the core's own.
func (w *worker) serve(x *rankContext, call *Call) {
	x.takeCall(call)
	r := x.rank()
	switch call.Fn {
	case fnSymbol:
		w.findSymbol(r, call)
	case fnOpen:
		w.openLibrary(r, call)
	case fnName:
		w.nameAddress(r, call)
	case fnClose:
		w.noteOpen(r)
	case fnIdentity:
		w.tellIdentity(call)
	case fnLocalName:
		w.tellLocalName(r, call)
	default:
		w.unpackState(r)
		w.mpi.Serve(call)
		r.keeps(w.mpi.Keeps(call.Rank))
	}
	x.answer(call)
}

// ended notes the end of a rank. One that leaves MPI open with an error ends the job: the others would wait for it.
func (w *worker) ended(r *rank) {
	w.mpi.EndRank(r.number())
	if w.cfg.HeapCheck {
		if err := checkHeap(r); err != nil {
			w.send(Event{Kind: EventAbort, Rank: r.number(), Code: 134, Text: fmt.Sprintf("rank %d: its heap is damaged at its end: %v", r.number(), err)})
		}
	}
	w.send(Event{Kind: EventRankExit, Rank: r.number(), Code: r.exited()})
	if r.exited() != 0 && r.leftMPIOpen() {
		w.send(Event{Kind: EventAbort, Rank: r.number(), Code: r.exited(), Text: fmt.Sprintf("rank %d ended with code %d before MPI_Finalize", r.number(), r.exited())})
	}
}

// died reports a rank that has faulted. Where a core file is wanted the worker then ends as the rank would have.
func (w *worker) died(x *rankContext) {
	e := w.faultReport(x.rank())
	if e.Core = wantsCore(); !e.Core {
		w.finish(e)
		return
	}
	prepareCore()
	w.send(e)
	repeatFault(x)
}

// finish reports what ends the job and waits for the manager's word.
func (w *worker) finish(e Event) {
	w.quiet.Store(true)
	w.send(e)
	w.awaitStop()
}

// awaitStop waits for the manager's word, and tells whether it came.
func (w *worker) awaitStop() bool {
	for until := time.Now().Add(abandonTime); !isStopped() && time.Now().Before(until); {
		time.Sleep(time.Millisecond)
	}
	return isStopped()
}

func (w *worker) done() {
	w.quiet.Store(true)
	e := Event{Kind: EventDone, Rank: -1}
	if w.cfg.Stats || w.cfg.ProbeOnly {
		e.Stats = w.stats()
	}
	w.send(e)
}

func (w *worker) send(e Event) {
	e.PE = w.cfg.PE
	w.report(e)
}
