package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"ampirun/checkpoint"
	"ampirun/checkpoint/buddy"
	"ampirun/internal/refusal"
)

// NoBuddy as Checkpoints.Buddy ends what a job that is restarted did before.
const NoBuddy = "none"

// copier has checkpoints sent to another node when they are safe here, in a goroutine of its own (run). The newest is sent; what comes while
// one is under way takes the place of what waits. A failure costs that copy, and is made good with the next checkpoint.
type copier struct {
	m      *manager
	store  *checkpoint.Store
	to     buddy.Target
	hello  buddy.Hello
	ctx    context.Context // done: whatever is under way fails
	cancel context.CancelFunc
	wake   chan struct{} // what follows has changed
	done   chan struct{} // closed when run has ended; nil before it begins

	mu      sync.Mutex
	next    *offer // nil: there is nothing to send
	sending bool   // what was next is being sent
	ending  bool   // no more will come
	pid     int    // of the remote shell; 0: none
	copied  []copied
	problem string // why the last try failed; "": it did not
	lines   []string
}

// offer is a checkpoint to be sent.
type offer struct {
	*checkpoint.Files
	began time.Time
}

// copied is a checkpoint that is safe there.
type copied struct {
	number uint64
	when   time.Time
	took   time.Duration // since it was begun
	sent   uint64        // bytes
}

// newCopier makes nothing where no other node is named.
func newCopier(m *manager, store *checkpoint.Store, how Checkpoints, owner string) (*copier, error) {
	if how.Buddy == "" || how.Buddy == NoBuddy {
		return nil, nil
	}
	to, err := buddy.ParseTarget(how.Buddy)
	if err != nil {
		return nil, refusal.New(refusal.CodeUsage, "+ckpt-buddy %s: %v", how.Buddy, err)
	}
	program, err := os.Readlink(ownProgram)
	if err != nil {
		return nil, err
	}
	if r := m.opt.Restart; r != nil {
		program = cmp.Or(r.job.Launcher, program) // this one may run from a checkpoint
	}
	host, _ := os.Hostname()
	hello := buddy.Hello{Owner: owner + " on " + host, Keep: how.Keep, Program: program}
	c := &copier{m: m, store: store, to: to, hello: hello, wake: make(chan struct{}, 1)}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c, nil
}

// start begins to send what is offered.
func (c *copier) start() {
	if c != nil {
		c.done = make(chan struct{})
		go c.run()
	}
}

// offer has a checkpoint sent, which may be removed here as soon as offer returns.
func (c *copier) offer(r *checkpoint.Report) {
	if c == nil {
		return
	}
	f, err := c.store.Files(r.Generation)
	if err != nil {
		c.fail(r.Generation, err)
		return
	}
	c.mu.Lock()
	before := c.next
	c.next = &offer{f, time.Now().Add(-r.Time)}
	c.mu.Unlock()
	if before != nil {
		before.Close()
	}
	c.stir()
}

func (c *copier) stir() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// run connects at once, so that what is wrong is said early.
func (c *copier) run() {
	defer close(c.done)
	link, err := c.connect()
	if err != nil {
		c.fail(0, err)
	}
	for o := c.take(); o != nil; o = c.take() {
		link = c.copy(link, o)
	}
	if link != nil {
		link.Close()
	}
}

// take waits for what is to be sent next; nil: nothing more.
func (c *copier) take() *offer {
	for {
		c.mu.Lock()
		o, ending := c.next, c.ending
		c.next, c.sending = nil, o != nil
		c.mu.Unlock()
		if o != nil || ending {
			return o
		}
		<-c.wake
	}
}

// connect makes a link. What is there of an earlier job is older than what this one will send: so its numbers say.
func (c *copier) connect() (*buddy.Sender, error) {
	link, err := buddy.Connect(c.ctx, c.to, c.hello, func(shell *exec.Cmd) error {
		c.mu.Lock() // nobody is to find an unknown child
		defer c.mu.Unlock()
		err := shell.Start()
		if err == nil {
			c.pid = shell.Process.Pid
		}
		return err
	})
	if err == nil {
		c.store.NumberAbove(link.Newest())
	}
	return link, err
}

// copy sends a checkpoint, and gives the link to use from now on; nil: there is none. A link from before may have died since, so
// another one is tried before that is a failure, unless the receiver itself has given up.
func (c *copier) copy(link *buddy.Sender, o *offer) *buddy.Sender {
	defer o.Close()
	isOld := link != nil
	for {
		var sent uint64
		var err error
		if link == nil {
			link, err = c.connect()
		}
		if err == nil {
			sent, err = link.Send(o.Files)
		}
		if err == nil {
			c.succeed(o, sent)
			return link
		}
		if older := new(checkpoint.NotNewer); errors.As(err, &older) {
			c.saveAgain(o, err)
			return link
		}
		link = nil
		if refused := new(*buddy.Refused); !isOld || errors.As(err, refused) {
			c.fail(o.Number, err)
			return nil
		}
		isOld = false
	}
}

// saveAgain has the job saved with a higher number, since what was sent was made before it was known which ones are taken there.
func (c *copier) saveAgain(o *offer, why error) {
	c.mu.Lock()
	ending := c.ending
	c.mu.Unlock()
	if ending {
		c.fail(o.Number, why)
		return
	}
	go c.m.post(func() { c.m.checkpointer.checkpoint(nil) })
}

// noticeTime is how long the end of a job may wait for a copy before it says so.
const noticeTime = time.Second

// awaitCopy ends the sending when the job has ended. What is under way is finished if the job may have to go on from it, unless there is a
// further signal.
func (k *checkpointer) awaitCopy(needed bool) {
	if k == nil || k.buddy == nil || k.buddy.done == nil {
		return
	}
	c := k.buddy
	c.mu.Lock()
	c.ending = true
	isUnderWay := c.sending || c.next != nil
	c.mu.Unlock()
	if !isUnderWay || !needed {
		c.drop()
	}
	c.stir()
	notice := time.After(noticeTime)
	for {
		select {
		case <-c.done:
			c.print()
			return
		case <-notice:
			if c.ctx.Err() != nil {
				continue
			}
			c.m.say([]string{fmt.Sprintf("waiting until the last checkpoint is on %s, or for a further signal", c.to)})
		case sig := <-c.m.signals:
			if sig != syscall.SIGCONT && sig != syscall.SIGTSTP {
				c.drop()
			}
		}
	}
}

// drop gives up what is under way, and ends the link.
func (c *copier) drop() {
	c.mu.Lock()
	o := c.next
	c.next = nil
	c.mu.Unlock()
	if o != nil {
		o.Close()
	}
	c.cancel()
}

// killOrphans ends what ranks have started and left running. The remote shell is nothing of that kind.
func (m *manager) killOrphans() {
	if m.checkpointer == nil || m.checkpointer.buddy == nil {
		killOrphans(m.kept)
		return
	}
	c := m.checkpointer.buddy
	c.mu.Lock()
	defer c.mu.Unlock()
	keep := maps.Clone(m.kept)
	keep[c.pid] = true
	killOrphans(keep)
}
