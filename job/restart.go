package job

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"ampirun/checkpoint"
	"ampirun/internal/refusal"
	"ampirun/internal/safefile"
	"ampirun/internal/wire"
	"ampirun/isomalloc"
	"ampirun/job/journal"
	"ampirun/vrank"
)

// Restart is a checkpoint that a job goes on from.
type Restart struct {
	Dir        string
	root       *safefile.Dir // the same
	Generation *checkpoint.Generation
	job        *checkpoint.Job
	was        metadata
	files      [][]vrank.File // by rank
	copies     copies
	worse      []uint64 // newer checkpoints, which are damaged
}

// DamagedCheckpoint is why a restart has ended before any rank went on: an older checkpoint may do.
type DamagedCheckpoint struct {
	Number uint64
	Err    error
}

func (d *DamagedCheckpoint) Error() string {
	return fmt.Sprintf("checkpoint %d is damaged: %v", d.Number, d.Err)
}

func (d *DamagedCheckpoint) Unwrap() error { return d.Err }

// OpenRestart reads the newest checkpoint in a directory that is older than the one given (0: any) and in which it sees no damage. What is wrong with
// those that it passes by is told to damaged: one of another job is not taken in their place. It does not read the memory: Run does, and its error
// may be a *DamagedCheckpoint. A directory of another user is refused unless foreign says that this one is trusted: programs from there run with
// the rights of this user.
func OpenRestart(dir string, foreign bool, before uint64, damaged func(*DamagedCheckpoint)) (*Restart, error) {
	store, err := checkpoint.View(dir)
	if err != nil {
		return nil, refusal.New(refusal.CodeUsage, "+restart %s: %v", dir, reason(err))
	}
	if root := store.Root(); !root.IsOwn() && !foreign {
		return nil, refusal.New(refusal.CodeUsage, "+restart %s: it belongs to %s, and what is in it would run with your rights: give +restart-foreign as well if you trust it", dir, safefile.UserName(root.Owner()))
	}
	numbers, err := store.Numbers()
	if err != nil {
		return nil, refusal.New(refusal.CodeUsage, "+restart %s: %v", dir, reason(err))
	}
	var wanted *origin // of the newest that says so
	var worse []uint64
	for _, number := range slices.Backward(numbers) {
		from := originOf(store, number)
		if wanted == nil {
			wanted = from
		}
		if before != 0 && number >= before {
			worse = append(worse, number)
			continue
		}
		if !wanted.isSame(from) {
			return nil, refusal.New(refusal.CodeUsage, "+restart %s: checkpoint %d is another job's (%s), and those of the newest one (%s) are damaged: "+
				"to go on with the older job remove them (ampirun ckpt rm %s%s)", dir, number, from.program, wanted.program, dir, listed(worse))
		}
		r, err := openRestart(store, number)
		var harm *checkpoint.Damage
		if err == nil {
			r.worse = worse
			return r, nil
		}
		if !errors.As(err, &harm) {
			return nil, refusal.New(refusal.CodeUsage, "+restart %s: %v", dir, err)
		}
		worse = append(worse, number)
		damaged(&DamagedCheckpoint{number, err})
	}
	if len(numbers) > 0 {
		return nil, refusal.New(refusal.CodeUsage, "+restart %s: there is no checkpoint that is not damaged", dir)
	}
	return nil, refusal.New(refusal.CodeUsage, "+restart %s: %v", dir, checkpoint.ErrNone)
}

// origin is which job a checkpoint is of.
type origin struct{ job, program string }

// originOf is nil where the checkpoint does not say it.
func originOf(store *checkpoint.Store, number uint64) *origin {
	job, err := store.JobOf(number)
	if err != nil {
		return nil
	}
	var was metadata
	_ = wire.Decode(job.Opaque[metadataKey], &was) // then the program has to do
	return &origin{was.Opened.Job, job.Program}
}

// isSame tells whether nothing speaks against that they are the same.
func (o *origin) isSame(p *origin) bool {
	return o == nil || p == nil || o.program == p.program && o.job == p.job
}

func listed(numbers []uint64) (list string) {
	for _, n := range numbers {
		list += fmt.Sprintf(" %d", n)
	}
	return list
}

func openRestart(store *checkpoint.Store, number uint64) (*Restart, error) {
	g, err := store.Generation(number)
	if err != nil {
		return nil, err
	}
	r, err := readRestart(store, g)
	if other := r.beItsLauncher(); other != nil {
		err = other
	}
	return r, err
}

// readRestart reads all of a checkpoint but the memory.
func readRestart(store *checkpoint.Store, g *checkpoint.Generation) (r *Restart, err error) {
	r = &Restart{Dir: store.Dir(), root: store.Root(), Generation: g}
	if r.job, err = g.Job(); err != nil {
		return r, err
	}
	if err := r.read(); err != nil {
		return r, err
	}
	if err := r.validate(g.PageSize, g.Extents); err != nil {
		return r, g.Damaged(err)
	}
	return r, nil
}

// reason leaves the operation and the path out of a file error.
func reason(err error) error {
	if e := errors.Unwrap(err); e != nil {
		return e
	}
	return err
}

func (r *Restart) read() error {
	data := r.job.Opaque[metadataKey]
	if len(data) == 0 {
		return fmt.Errorf("checkpoint %d was made by another ampirun (%s), whose checkpoints this one does not understand: restart it with that ampirun",
			r.Generation.Number, r.job.Version)
	}
	if err := wire.Decode(data, &r.was); err != nil {
		return fmt.Errorf("checkpoint %d: it cannot be decoded: %w", r.Generation.Number, err)
	}
	r.files = make([][]vrank.File, len(r.job.PerRank))
	for i := range r.job.PerRank {
		if data := r.job.PerRank[i].Opaque[metadataKey]; len(data) > 0 {
			if err := wire.Decode(data, &r.files[i]); err != nil {
				return fmt.Errorf("checkpoint %d: files of rank %d: %w", r.Generation.Number, i, err)
			}
		}
	}
	return nil
}

// Adopt fills in what options of a job that goes on were when it was saved: all but those of the run itself, such as Workers. Workers is
// that of the saved job if it is 0, Checkpoints too if there are none.
func (r *Restart) Adopt(o *Options) {
	o.Restart = r
	o.Program, o.Args, o.Env, o.Dir = r.job.Program, r.job.Args[1:], r.job.Env, r.job.Dir
	o.Ranks, o.Slice = r.job.Ranks, 0
	o.Workers = min(cmp.Or(o.Workers, r.job.PEs), o.Ranks)
	o.Lasting = r.lasting(o.Lasting)
}

// lasting are the options that hold from now on: those of the job that was saved, but for what is said anew. Its memory says what stacks there are,
// and how it is privatized.
func (r *Restart) lasting(said Lasting) Lasting {
	was := r.was.Options
	said.Stack, said.Method = was.Stack, was.Method
	said.Lasting = orElse(said.Lasting, was.Lasting)
	said.Checkpoints = r.saves(said.Checkpoints)
	said.FT = cmp.Or(said.FT, was.FT)
	return said
}

// saves is how the job is saved from now on. A directory of another user is only read.
func (r *Restart) saves(said *Checkpoints) *Checkpoints {
	var was Checkpoints
	if r.was.Options.Checkpoints != nil {
		was = *r.was.Options.Checkpoints
	}
	was.Dir = r.Dir
	if !r.root.IsOwn() {
		was.Dir = ""
	}
	if said == nil && was.Dir == "" {
		return nil
	}
	if said == nil {
		return &was
	}
	if said.Every != 0 || said.MTBF != 0 { // two ways to say how often
		was.Every, was.MTBF = 0, 0
	}
	c := orElse(*said, was)
	return &c
}

// orElse is what is said in a struct, and in each field where nothing is (the zero value) what was.
func orElse[T any](said, was T) T {
	to, from := reflect.ValueOf(&said).Elem(), reflect.ValueOf(was)
	for i := range to.NumField() {
		if to.Field(i).IsZero() {
			to.Field(i).Set(from.Field(i))
		}
	}
	return said
}

// restart begins a job that goes on: its memory is read while workers come up.
func (s *setup) restart() (err error) {
	r := s.m.opt.Restart
	if s.region, err = isomalloc.Create(r.was.Layout); err != nil {
		return fmt.Errorf("create the region of %d ranks: %w", r.job.Ranks, err)
	}
	s.libraries, s.resolved = r.was.Libraries, true
	s.m.outputLog = newOutputLog(r.job.Ranks, r.rollbackTarget().written)
	s.fill(func() (*rollbackTarget, error) {
		v, err := r.restore(s.region, s.m.sayLater)
		if harm := new(checkpoint.Damage); errors.As(err, &harm) {
			err = &DamagedCheckpoint{r.Generation.Number, err}
		}
		return v, err
	})
	return nil
}

// restore reads the memory of the job into a region of zeroes, and looks at the files meanwhile.
func (r *Restart) restore(region *isomalloc.Region, say func([]string)) (*rollbackTarget, error) {
	checked := make(chan error, 1)
	go func() { checked <- r.checkFiles() }()
	err := readMemory(r.Generation, region)
	if bad := <-checked; bad != nil {
		return nil, bad
	}
	if err == nil {
		err = r.undo(say)
	}
	return r.rollbackTarget(), err
}

// undo makes the files as they were that ranks have opened since.
func (r *Restart) undo(say func([]string)) error {
	said, err := journal.Undo(r.root, r.was.Opened)
	say(said)
	return err
}

// readMemory reads the pages of a checkpoint into a region of zeroes.
func readMemory(g *checkpoint.Generation, region *isomalloc.Region) error {
	to := region.Fill()
	err := g.Restore(to)
	go to.Close() // takes its time, and nobody waits for it
	return err
}

// places is the PE that each rank begins on; nil: neighbours together, as vrank places them where there are other PEs than before.
func (r *Restart) places(pes int) []int32 {
	if pes != r.job.PEs {
		return nil
	}
	places := make([]int32, r.job.Ranks)
	for i := range places {
		places[i] = int32(r.job.PerRank[i].PE)
	}
	return places
}

// rollbackTarget is what the job had besides its memory.
func (r *Restart) rollbackTarget() *rollbackTarget {
	v := newRollbackTarget(r.job.Ranks)
	v.files, v.ended = r.files, r.was.Ended
	for i := range r.job.PerRank {
		v.written[i] = [2]uint64{r.job.PerRank[i].Stdout, r.job.PerRank[i].Stderr}
	}
	return v
}

// close gives the copies of files back.
func (r *Restart) close() {
	if r != nil {
		r.copies.close()
	}
}
