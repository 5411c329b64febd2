package vrank

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"time"

	"go.uber.org/atomic"
	"golang.org/x/sys/unix"

	"ampirun/internal/slicestream"
	"ampirun/isomalloc"
)

// copier moves ranks by copying their memory (+migrate copy): the PE that a rank leaves sends what its slice holds as a stream and takes
// it away from there, and a goroutine of the worker that it goes to fills the slice again. That goroutine waits for nobody but the sender,
// and the sender for nobody but it; PEs that touch what is on its way wait for both, at the fences of all workers.
//
// The control block stays where it is: others put into its inbox what comes for the rank meanwhile.
type copier struct {
	w      *worker
	in     int               // socket at which fences and streams come in
	out    []int             // to those of all PEs
	fences []atomic.Int32    // of all workers, and 1; 0 while one has not come
	layout uint64            // fingerprint
	images []isomalloc.Range // what of the images is the rank's own, from the start of the image area
	copied Copied
}

// What comes over the socket along with a descriptor.
const (
	noteFence  = 1 // of the PE with this number
	noteStream = 2 // of the rank with this number
	noteSize   = 8
)

func (w *worker) startCopying() error {
	f, err := newFence()
	if err != nil {
		return fmt.Errorf("make a fence: %w", err)
	}
	c := &copier{w: w, in: w.cfg.CopyFD, fences: make([]atomic.Int32, w.cfg.PEs)}
	c.fences[w.cfg.PE].Store(int32(f) + 1)
	h := fnv.New64a()
	fmt.Fprintf(h, "%+v", w.layout)
	c.layout = h.Sum64()
	for _, r := range w.program.Ranges() {
		if !r.Shared && !r.OnWrite {
			c.images = append(c.images, isomalloc.Range{Lo: uintptr(r.Offset) &^ (page - 1), Hi: uintptr(alignUp(r.Offset+r.Size, page))})
		}
	}
	w.copier = c
	go c.listen()
	for pe := range w.cfg.PEs {
		c.out = append(c.out, c.in+1+pe)
		if pe == w.cfg.PE {
			continue
		}
		if err := c.tell(pe, noteFence, w.cfg.PE, int(f)); err != nil {
			return fmt.Errorf("pass the fence on: %w", err)
		}
	}
	return nil
}

// hasAll tells whether the fences of all workers are here.
func (c *copier) hasAll() bool {
	for i := range c.fences {
		if c.fences[i].Load() == 0 {
			return false
		}
	}
	return true
}

func (c *copier) tell(pe, note, number, fd int) error {
	var text [noteSize]byte
	binary.LittleEndian.PutUint32(text[:], uint32(note))
	binary.LittleEndian.PutUint32(text[4:], uint32(number))
	for {
		err := unix.Sendmsg(c.out[pe], text[:], unix.UnixRights(fd), nil, unix.MSG_NOSIGNAL)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// listen takes in what others send, as long as this worker lives.
func (c *copier) listen() {
	for {
		note, number, fd, err := c.hear()
		switch {
		case err != nil:
			c.fail(-1, fmt.Errorf("hear of ranks that come: %w", err))
			return
		case note == noteFence && number < len(c.fences):
			c.fences[number].Store(int32(aside(fd)) + 1)
		case note == noteStream && number < c.w.cfg.Ranks:
			go c.receive(rankAt(number), aside(fd))
		default:
			panic(fmt.Sprintf("BUG: note %d about %d", note, number))
		}
	}
}

func (c *copier) hear() (note, number, fd int, err error) {
	text, rights := make([]byte, noteSize), make([]byte, unix.CmsgSpace(4))
	n, size := 0, 0
	for n, size, _, _, err = unix.Recvmsg(c.in, text, rights, unix.MSG_CMSG_CLOEXEC); errors.Is(err, unix.EINTR); {
		n, size, _, _, err = unix.Recvmsg(c.in, text, rights, unix.MSG_CMSG_CLOEXEC)
	}
	if err == nil && n < noteSize {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return 0, 0, -1, err
	}
	messages, err := unix.ParseSocketControlMessage(rights[:size])
	if err == nil && len(messages) != 1 {
		err = errors.New("no descriptor has come")
	}
	if err != nil {
		return 0, 0, -1, err
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return 0, 0, -1, err
	}
	return int(binary.LittleEndian.Uint32(text)), int(binary.LittleEndian.Uint32(text[4:])), fds[0], nil
}

func (c *copier) fail(rank int, err error) {
	c.w.send(Event{Kind: EventAbort, Rank: rank, Code: 1, Text: fmt.Sprintf("+migrate copy: %v", err)})
}

// raise closes what others may reach of a rank's slice to all threads of all workers.
func (c *copier) raise(ranges []isomalloc.Range) error {
	return c.inAll(ranges, "fence off", fence.raise)
}

func (c *copier) lower(ranges []isomalloc.Range) error {
	return c.inAll(ranges, "take down the fence around", fence.lower)
}

// inAll does something to ranges of all workers' memory.
func (c *copier) inAll(ranges []isomalloc.Range, what string, do func(fence, isomalloc.Range) error) error {
	for pe := range c.fences {
		f := fence(c.fences[pe].Load() - 1)
		for _, r := range ranges {
			if err := do(f, r); err != nil {
				return fmt.Errorf("%s %s in worker %d: %w", what, r, pe, err)
			}
		}
	}
	return nil
}

// send sends the memory of a rank that is in transit to PE `to`. PE stack.
func (c *copier) send(r *rank, to int) error {
	since := time.Now()
	r.trimHeap()
	p := c.partsOf(r)
	if err := c.raise(p.fenced()); err != nil {
		return fmt.Errorf("+migrate copy: rank %d: %w", r.number(), err)
	}
	totals, err := c.stream(r, &p, to)
	if errors.Is(err, unix.EPIPE) { // the other worker has died, and whoever sees that will say so
		if c.w.awaitStop() {
			return nil
		}
	}
	if err != nil {
		return fmt.Errorf("+migrate copy: rank %d: %w", r.number(), err)
	}
	c.copied.Moves++
	c.copied.Bytes += totals.Bytes
	c.copied.Seconds += time.Since(since).Seconds()
	return nil
}

func (c *copier) stream(r *rank, p *sliceParts, to int) (totals slicestream.Totals, err error) {
	in, out, err := slicestream.Pipe()
	if err != nil {
		return totals, err
	}
	defer unix.Close(out)
	err = c.tell(to, noteStream, r.number(), in)
	unix.Close(in)
	if err != nil {
		return totals, fmt.Errorf("announce it to worker %d: %w", to, err)
	}
	s, err := slicestream.NewSender(c.file(r), out, c.header(r))
	if err != nil {
		return totals, err
	}
	defer s.Close()
	if err := c.w.region.Punch(p.dead.Lo, p.dead.Hi); err != nil {
		return totals, err
	}
	send := func(e isomalloc.Range) error {
		return s.Send(slicestream.Extent{Offset: uint64(e.Lo - r.slice()), Length: e.Len()})
	}
	for _, t := range p.travel {
		each := c.w.region.EachExtent
		if t.isPlain {
			each = c.w.region.EachContent
		}
		if err := each(t.Lo, t.Hi, send); err != nil {
			return totals, err
		}
	}
	return s.End()
}

func (c *copier) file(r *rank) slicestream.File {
	return slicestream.File{FD: c.w.region.FD(), Offset: int64(r.slice() - c.w.region.Base())}
}

func (c *copier) header(r *rank) slicestream.Header {
	return slicestream.Header{Rank: uint32(r.number()), SliceSize: c.w.layout.size, Layout: c.layout}
}

// receive fills the slice of a rank that comes to this worker, and then hands the rank to its PE.
func (c *copier) receive(r *rank, in int) {
	defer unix.Close(in)
	p := c.partsOf(r)
	_, err := slicestream.Receive(in, c.file(r), c.header(r))
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return // the sender has died, which ends the job; whoever waits at the fences waits for that
	}
	if err == nil {
		err = c.lower(p.fenced())
	}
	if err != nil {
		c.fail(r.number(), fmt.Errorf("rank %d: %w", r.number(), err))
		return
	}
	r.arrive()
}

// sliceParts is what is done with a rank's slice when it is copied.
type sliceParts struct {
	dead   isomalloc.Range   // below the stack pointer: given up
	travel []travelPart      // ascending
	own    []isomalloc.Range // of the images, reachable by others
}

type travelPart struct {
	isomalloc.Range
	isReached bool // by other ranks: messages are read from there, and lists go through it
	isPlain   bool // in every process it is mapped as the region's memory, so that pages can be looked at
}

// partsOf divides the slice of a rank that does not run. The page of the control block is in none of the parts.
func (c *copier) partsOf(r *rank) (p sliceParts) {
	l, slice := &c.w.layout, r.slice()
	in := func(offset uint64) uintptr { return slice + uintptr(offset) }
	live := r.liveStack()
	if live < in(l.stack) || live > in(l.controlBlock) { // it is on a stack of its program's
		live = in(l.stack)
	}
	p.dead = isomalloc.Range{Lo: in(l.stack), Hi: live}
	p.travel = []travelPart{
		{isomalloc.Range{Lo: live, Hi: in(l.controlBlock) &^ (page - 1)}, true, true},
		{isomalloc.Range{Lo: in(l.images), Hi: in(l.heap)}, false, false},
		{isomalloc.Range{Lo: in(l.heap), Hi: in(l.heap + l.heapSize)}, true, true},
		{isomalloc.Range{Lo: in(l.libraries), Hi: in(l.libraries + l.librariesSize)}, false, false},
		{isomalloc.Range{Lo: in(l.requests), Hi: in(l.size)}, true, true},
	}
	for _, e := range c.images {
		p.own = append(p.own, isomalloc.Range{Lo: r.imageArea() + e.Lo, Hi: r.imageArea() + e.Hi})
	}
	return p
}

// fenced is what nobody may touch while it is on its way.
func (p *sliceParts) fenced() []isomalloc.Range {
	list := p.own[:len(p.own):len(p.own)]
	for _, t := range p.travel {
		if t.isReached && t.Len() > 0 {
			list = append(list, t.Range)
		}
	}
	return list
}
