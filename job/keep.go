package job

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"ampirun/checkpoint"
	"ampirun/isomalloc"
	"ampirun/vrank"
)

// Checkpoints says where and when a job is saved.
type Checkpoints struct {
	Dir    string        // absolute
	Every  time.Duration // 0: only when it is asked for
	Keep   int           // so many stay; 0: the store's choice
	Embed  bool          // with the files that ranks have code from
	OnTerm bool          // once more before SIGTERM ends the job
}

// keeper saves the job that its manager runs. Only the manager's goroutine uses it, but for what save says.
type keeper struct {
	m      *manager
	how    Checkpoints
	store  *checkpoint.Store
	shadow *isomalloc.Region // the region as it was when it was frozen last
	memory checkpoint.Memory // the same, mapped
	due    *time.Timer

	frozen  []*vrank.Frozen // of the freeze that is under way, as far as workers have told
	busy    bool            // from the question to the workers until all is safe on the disk
	again   bool            // somebody has asked meanwhile
	saved   chan struct{}   // closed when what is being written is on the disk
	asked   []func(error)   // who waits for the checkpoint that is under way
	ending  bool            // the job ends after the checkpoint that is under way
	told    bool            // what keeps the job from being saved was said, and has not changed
	images  []checkpoint.Image
	history []Saved
}

// Saved is a checkpoint that was made.
type Saved struct {
	Pause float64 // seconds that no rank ran
	checkpoint.Report
}

// newKeeper opens the directory; a job whose checkpoints cannot be kept is not begun.
func newKeeper(m *manager, how Checkpoints) (*keeper, error) {
	owner := fmt.Sprintf("job %d (%s)", os.Getpid(), filepath.Base(m.program))
	store, err := checkpoint.Open(how.Dir, checkpoint.Options{Keep: how.Keep, Embed: how.Embed, Owner: owner})
	if err != nil {
		return nil, refuse(CodeUsage, "+ckpt %s: %v", how.Dir, err)
	}
	k := &keeper{m: m, how: how, store: store, due: time.NewTimer(time.Hour)}
	k.due.Stop()
	return k, nil
}

// begin makes the memory that is saved from, when the region is known, and starts the clock.
func (k *keeper) begin(layout isomalloc.Config) (err error) {
	if k.shadow, err = isomalloc.Create(layout); err != nil {
		return fmt.Errorf("create the memory that checkpoints are copied to: %w", err)
	}
	k.memory, err = syscall.Mmap(k.shadow.FD(), 0, int(layout.Size()), syscall.PROT_READ, syscall.MAP_SHARED|syscall.MAP_NORESERVE)
	if err != nil {
		return fmt.Errorf("map the memory that checkpoints are copied to: %w", err)
	}
	k.restartClock()
	return nil
}

func (k *keeper) restartClock() {
	if k.how.Every > 0 {
		k.due.Reset(k.how.Every)
	}
}

// close waits for what is being written.
func (k *keeper) close() {
	if k == nil {
		return
	}
	k.due.Stop()
	if k.saved != nil {
		<-k.saved
	}
	k.store.Close()
	if k.shadow != nil {
		syscall.Munmap(k.memory)
		k.shadow.Close()
	}
}

// checkpoint has the job saved; done, which may be nil, is called when it is safe or cannot be. While one is being made, another one follows it.
func (k *keeper) checkpoint(done func(error)) {
	m := k.m
	if done != nil {
		k.asked = append(k.asked, done)
	}
	if k.busy {
		k.again = k.again || done != nil
		return
	}
	if !m.launched || m.stage != stageRun || m.workers[0].done {
		k.finish(fmt.Errorf("no checkpoint: the job is not running"))
		return
	}
	k.busy, k.frozen = true, nil
	if err := m.workers[0].link.send(message{Kind: kindFreeze}); err != nil {
		k.finish(fmt.Errorf("no checkpoint: %w", err))
	}
}

// finish ends a checkpoint.
func (k *keeper) finish(err error) {
	asked := k.asked
	k.busy, k.asked = false, nil
	k.restartClock()
	for _, done := range asked {
		done(err)
	}
}

// took notes that a worker has done its share, and has all written when the last one has.
func (k *keeper) took(f *vrank.Frozen) {
	if k.frozen = append(k.frozen, f); len(k.frozen) < len(k.m.workers) {
		return
	}
	if k.frozen[0].Refused {
		k.finish(k.complain())
		return
	}
	k.saved = make(chan struct{})
	job, saved, m := k.describe(), k.saved, k.m
	go func() {
		report, err := k.save(job)
		close(saved)
		m.post(func() { k.wrote(report, err) })
	}()
}

// complain says why the job cannot be saved: once until it can be again, and whenever somebody has asked.
func (k *keeper) complain() error {
	var lines []string
	for _, f := range k.frozen {
		for _, o := range f.Obstacles {
			lines = append(lines, fmt.Sprintf("rank %d cannot be saved: %s", o.Rank, o.Why))
		}
	}
	text := summary(lines)
	if !k.told || len(k.asked) > 0 {
		k.m.say([]string{text})
	}
	k.told = true
	return fmt.Errorf("%s", text)
}

// summary is the first of several reasons.
func summary(lines []string) string {
	text := "no checkpoint: " + lines[0]
	if n := len(lines) - 1; n > 0 {
		text += fmt.Sprintf(" (and %d more ranks)", n)
	}
	return text + "; the job goes on"
}

// save writes what was copied. Its own goroutine.
func (k *keeper) save(job *checkpoint.Job) (*checkpoint.Report, error) {
	if k.images == nil {
		images, err := k.identify()
		if err != nil {
			return nil, err
		}
		k.images = images
	}
	job.Images = k.images
	c := k.shadow.Config()
	ranges, err := k.shadow.Extents(c.Base, c.Base+uintptr(c.Size()))
	if err != nil {
		return nil, err
	}
	extents := make([]checkpoint.Extent, len(ranges))
	for i, r := range ranges {
		extents[i] = checkpoint.Extent{Offset: uint64(r.Lo - c.Base), Length: r.Len()}
	}
	return k.store.Save(job, k.memory, extents)
}

// wrote takes the result of save.
func (k *keeper) wrote(report *checkpoint.Report, err error) {
	k.saved = nil
	again := k.again
	k.again = false
	switch {
	case err != nil:
		err = fmt.Errorf("checkpoint in %s failed: %w", k.how.Dir, err)
		k.m.say([]string{strings.ReplaceAll(err.Error(), "\n", "; ") + "; the job goes on, and what was saved before is kept"})
	default:
		k.told = false
		k.history = append(k.history, Saved{k.pause(), *report})
		k.m.say(report.Warnings)
	}
	k.finish(err)
	if again {
		k.checkpoint(nil)
	}
}

// print tells what checkpoints there were.
func (k *keeper) print(out io.Writer) {
	if k == nil || len(k.history) == 0 {
		return
	}
	fmt.Fprintf(out, "\ncheckpoint  pause/ms  until safe/ms  pages  written/MiB\n")
	for _, s := range k.history {
		fmt.Fprintf(out, "%-10d  %8.1f  %13.1f  %5d  %11.1f\n", s.Generation, 1e3*s.Pause, 1e3*s.Time.Seconds(), s.Pages, float64(s.Bytes)/(1<<20))
	}
}

// pause is how long no rank ran for the last checkpoint, in seconds.
func (k *keeper) pause() (longest float64) {
	for _, f := range k.frozen {
		longest = max(longest, f.Pause)
	}
	return longest
}

// prepareKeeping opens the directory of checkpoints, if there are to be some.
func (m *manager) prepareKeeping() (err error) {
	if m.opt.Restart != nil {
		if err := m.opt.Restart.checkDir(); err != nil {
			return err
		}
	}
	if m.opt.Restart != nil && (m.opt.Trace != "" || m.opt.Record != "") {
		return refuse(CodeUsage, "+restart: a job that goes on is not recorded: leave +trace and +lb-record out")
	}
	if m.opt.Checkpoints == nil {
		return nil
	}
	if m.opt.Copy {
		return refuse(CodeUsage, "+ckpt: ranks cannot be saved under +migrate copy: take +migrate share")
	}
	if !m.opt.facts().Movable {
		return refuse(CodeUsage, "+ckpt: ranks cannot be saved under +privatize %s: take +privatize pie", m.opt.Method)
	}
	if m.opt.hostHeap() {
		return refuse(CodeUsage, "+ckpt: ranks cannot be saved when their heap is not in their slices (+heap host, +movable no): leave that out")
	}
	m.keeper, err = newKeeper(m, *m.opt.Checkpoints)
	return err
}

// beforeEnd makes a last checkpoint when SIGTERM has come; false: there is none to be made. A second SIGTERM ends the job at once.
func (k *keeper) beforeEnd(m *manager) bool {
	if k == nil || !k.how.OnTerm || k.ending {
		return false
	}
	k.ending = true
	k.checkpoint(func(error) { m.endBy(syscall.SIGTERM) })
	return true
}
