package vrank

import (
	"golang.org/x/sys/unix"
)

// Retained is a file that a rank has open, by which it can be found again: what it is, and under which name.
type Retained struct {
	Object
	Path string
}

// Retained names a regular file among those that a rank has open; ok tells whether it is one.
func (f *File) Retained() (h Retained, ok bool) {
	return Retained{f.Object, f.Path}, f.Kind == FileRegular
}

// mostRetained is how many descriptors go with one event; the kernel takes 253.
const mostRetained = 250

// giveFiles gives the job's manager descriptors of the files that ranks have open, so that they are there still if the job goes back to
// this freeze, whoever removes them. What it got at the last one it has. They open nothing (O_PATH): locks and pipes do not notice.
func (w *worker) giveFiles(f *Frozen) {
	if !w.cfg.Holds || halts() {
		return
	}
	now := map[Retained]bool{}
	e := Event{Kind: EventRetained, Rank: -1}
	for _, r := range f.Ranks {
		for i := range r.Files {
			name, ok := r.Files[i].Retained()
			if !ok || now[name] {
				continue
			}
			now[name] = true
			if !w.given[name] {
				e = w.hand(e, name, r.Files[i].Number)
			}
		}
	}
	w.sendRetained(e)
	w.given = now
}

// hand adds a file to an event, which is sent when it is full; it returns the event to go on with. What cannot be given is not held.
func (w *worker) hand(e Event, name Retained, number int) Event {
	fd, err := unix.Open(ownLink(number), unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return e
	}
	e.Retained, e.FDs = append(e.Retained, name), append(e.FDs, fd)
	if len(e.FDs) < mostRetained {
		return e
	}
	w.sendRetained(e)
	return Event{Kind: e.Kind, Rank: e.Rank}
}

func (w *worker) sendRetained(e Event) {
	if len(e.FDs) == 0 {
		return
	}
	w.send(e)
	for _, fd := range e.FDs {
		unix.Close(fd)
	}
}
