package job

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ampirun/checkpoint"
	"ampirun/internal/refusal"
	"ampirun/isomalloc"
	"ampirun/job/journal"
)

// Checkpoints says where and when a job is saved.
type Checkpoints struct {
	Dir    string        // absolute; "": in memory only, for FT
	Every  time.Duration // 0: as MTBF says
	MTBF   time.Duration // mean time between failures of a node, for which the best interval is chosen; 0: only when it is asked for
	Keep   int           // so many stay; 0: the store's choice
	Embed  bool          // with the files that ranks have code from
	OnTerm bool          // once more before SIGTERM ends the job
	Buddy  string        // HOST:DIR on another node where copies go; "" or NoBuddy: nowhere
}

// checkpointer saves the job that its manager runs. Only the manager's goroutine uses it, but for what save says.
type checkpointer struct {
	m        *manager
	how      Checkpoints
	store    *checkpoint.Store   // nil: the job is saved in memory only
	snapshot *isomalloc.Snapshot // the region as it was when it was frozen last
	view     *isomalloc.View     // the same, to be saved
	exists   []isomalloc.Range   // what there was of it when it was saved last
	differ   bool                // something else may exist by now
	due      *time.Timer
	pace     *pace

	last   *rollbackTarget // what belongs to the snapshot, where the job can go on from; nil: there is no such thing, or the disk has it
	noted  time.Time       // when that was copied
	copied uint32          // so many copies of these workers have been noted
	total  uint32          // and of all workers that there have been
	copies pauses          // of all that could be gone on from in memory

	busy    bool                        // from the question to the workers until all is safe on the disk
	damaged []uint64                    // checkpoints, as going back has shown since the last one was begun
	saved   chan struct{}               // closed when what is being written is on the disk
	asked   []func(error)               // who waits for the checkpoint that is under way
	next    []func(error)               // who has asked since it began
	ending  bool                        // the job ends after the checkpoint that is under way
	told    bool                        // what keeps the job from being saved was said, and has not changed
	failed  string                      // why the last one could not be written, which was said; "": it could
	host    []checkpoint.Image          // ampirun and its libraries, once it is known
	images  map[string]checkpoint.Image // of the program, by path, as far as they are known
	history []Saved
	journal *journal.Journal
	buddy   *copier // nil: nobody else has copies
}

// Saved is a checkpoint that was made.
type Saved struct {
	Pause float64         // seconds that no rank ran
	When  time.Time       // it was safe
	was   *rollbackTarget // what belongs to it; nil: nobody goes back to it any more
	checkpoint.Report
}

// newCheckpointer opens the directory; a job whose checkpoints cannot be kept is not begun.
func newCheckpointer(m *manager, how Checkpoints) (*checkpointer, error) {
	owner := fmt.Sprintf("job %d (%s)", os.Getpid(), filepath.Base(m.program))
	k := &checkpointer{m: m, how: how, due: time.NewTimer(time.Hour), pace: newPace(how, m.opt.Workers)}
	k.due.Stop()
	if err := k.open(owner); err != nil {
		return nil, err
	}
	if m.opt.FT != nil {
		k.journal.RetainFiles(m.opt.Workers)
	}
	return k, nil
}

// open opens the directory with the store and the journal; a job that is saved in memory only has neither.
func (k *checkpointer) open(owner string) (err error) {
	how, restart := k.how, k.m.opt.Restart
	if how.Dir == "" {
		k.journal, err = journal.InMemory()
		return err
	}
	if k.store, err = checkpoint.Open(how.Dir, checkpoint.Options{Keep: how.Keep, Embed: how.Embed, Owner: owner}); err != nil {
		return refusal.New(refusal.CodeUsage, "+ckpt %s: %v", how.Dir, err)
	}
	var was journal.Mark
	if restart != nil {
		was = restart.was.Opened
	}
	if k.journal, err = journal.In(k.store.Root(), was); err != nil {
		return refusal.New(refusal.CodeUsage, "+ckpt %s: %v", how.Dir, err)
	}
	if restart != nil && restart.Dir == how.Dir {
		k.store.Distrust(restart.worse...)
	}
	k.buddy, err = newCopier(k.m, k.store, how, owner)
	return err
}

// begin makes the memory that is saved from, when the region is known, and starts the clock.
func (k *checkpointer) begin(layout isomalloc.Config) (err error) {
	if k.snapshot != nil {
		return nil // other workers had it before
	}
	if k.snapshot, err = isomalloc.CreateSnapshot(layout); err != nil {
		return fmt.Errorf("create the memory that checkpoints are copied to: %w", err)
	}
	if k.view = k.snapshot.View(false); k.view.Memory() == nil {
		return errors.New("map the memory that checkpoints are copied to: there is no room for it")
	}
	k.restartClock()
	if !k.writes() {
		return nil
	}
	k.buddy.start()
	return nil
}

func (k *checkpointer) restartClock() {
	if rest := k.pace.next(); rest > 0 {
		k.due.Reset(rest)
	}
}

// close waits for what is being written.
func (k *checkpointer) close() {
	if k == nil {
		return
	}
	k.due.Stop()
	if k.saved != nil {
		<-k.saved
	}
	if k.store != nil {
		k.store.Close()
	}
	k.journal.Close()
	if k.snapshot != nil {
		k.view.Close()
		k.snapshot.Close()
	}
}

// checkpoint has the job saved; done, which may be nil, is called when it is safe or cannot be. While one is being made, another one follows it.
func (k *checkpointer) checkpoint(done func(error)) {
	if done != nil {
		k.next = append(k.next, done)
	}
	if k.busy {
		return
	}
	k.busy = true
	k.asked, k.next = k.next, nil
	k.m.freezer.ask(&freeze{done: k.took})
}

// asks has the job saved for its program: on the disk, or as a copy in memory, which is one on the disk too when that is wanted anyway.
func (k *checkpointer) asks(memory bool) {
	if !memory || k.busy {
		k.checkpoint(func(error) {})
		return
	}
	k.busy = true
	k.m.freezer.ask(&freeze{memory: true, done: k.took})
}

// writes tells whether the job is saved on the disk, and staysInMemory whether its last copy is good for something.
func (k *checkpointer) writes() bool { return k != nil && k.store != nil }

func (k *checkpointer) staysInMemory() bool {
	return k != nil && k.m.opt.FT != nil && k.m.opt.FT.Mode == FTMemory
}

// finish ends a checkpoint.
func (k *checkpointer) finish(err error) {
	asked := k.asked
	k.busy, k.asked = false, nil
	k.restartClock()
	for _, done := range asked {
		done(err)
	}
	if len(k.next) > 0 {
		k.checkpoint(nil)
	}
}

// took takes the end of a freeze, and has written what was copied.
func (k *checkpointer) took(f *freeze, err error) {
	switch {
	case err != nil:
		k.finish(fmt.Errorf("no checkpoint: %w", err))
		return
	case f.isRefused():
		k.finish(k.complain(f))
		return
	}
	k.copied++
	k.total++
	k.differ = k.differ || !f.isSame()
	stood := f.rollbackTarget(k.m.opt.Ranks)
	k.note(stood)
	k.letGo(stood)
	if k.staysInMemory() {
		k.copies.add(f.pause())
	}
	k.pace.paused(f.pause())
	if f.memory || k.store == nil {
		k.pace.written()
		k.finish(nil)
		return
	}
	k.store.Distrust(k.damaged...)
	k.damaged = nil
	k.saved = make(chan struct{})
	job, saved, m, list := k.describe(f, stood.ended), k.saved, k.m, k.differ
	k.differ = false
	go func() {
		report, err := k.save(job, list)
		m.post(func() { k.wrote(stood, f.pause(), report, err) })
		close(saved)
	}()
}

// complain says why the job cannot be saved: once until it can be again, and whenever somebody has asked.
func (k *checkpointer) complain(f *freeze) error {
	text := "no checkpoint: " + f.obstacles() + "; the job goes on"
	if !k.told || len(k.asked) > 0 {
		k.m.say([]string{text})
	}
	k.told = true
	return errors.New(text)
}

// prepareKeeping opens the directory of checkpoints, if there are to be some.
func (m *manager) prepareKeeping() (err error) {
	if m.opt.FT != nil && m.opt.recorded() {
		return refusal.New(refusal.CodeUsage, "+ft: a job that goes on is not recorded: leave +trace and +lb-record out")
	}
	if why := m.opt.cannotBeSaved(); why != "" && (m.opt.Checkpoints != nil || m.opt.FT != nil) {
		option := "+ckpt"
		if m.opt.Checkpoints == nil || m.opt.Checkpoints.Dir == "" {
			option = "+ft"
		}
		return refusal.New(refusal.CodeUsage, "%s: ranks cannot be saved %s", option, why)
	}
	if m.opt.Checkpoints == nil {
		return nil
	}
	m.checkpointer, err = newCheckpointer(m, *m.opt.Checkpoints)
	return err
}

// beforeEnd makes a last checkpoint when the job is to end; false: there is none to be made. Who asks for the end again does not wait for it.
func (k *checkpointer) beforeEnd(done func(error)) bool {
	if !k.writes() || !k.how.OnTerm || k.ending {
		return false
	}
	k.ending = true
	k.checkpoint(done)
	return true
}
