package vrank

import (
	"encoding/json"

	"golang.org/x/sys/unix"
)

// Held is a file that a rank has open, by which it can be found again: what it is, and under which name.
type Held struct {
	Object
	Path string
}

// Held names a regular file among those that a rank has open; ok tells whether it is one.
func (f *File) Held() (h Held, ok bool) { return Held{f.Object, f.Path}, f.Kind == FileRegular }

// mostHeld is how many descriptors go with one event; the kernel takes 253.
const mostHeld = 250

// giveFiles gives the job's manager descriptors of the files that ranks have open, so that they are there still if the job goes back to
// this freeze, whoever removes them. What it got at the last one it has. They open nothing (O_PATH): locks and pipes do not notice.
func (w *worker) giveFiles(f *Frozen) {
	if !w.cfg.Holds || halts() {
		return
	}
	now := map[Held]bool{}
	e := Event{Kind: EventHeld, Rank: -1}
	for _, r := range f.Ranks {
		for i := range r.Files {
			name, ok := r.Files[i].Held()
			if !ok || now[name] {
				continue
			}
			now[name] = true
			if !w.given[name] {
				e = w.hand(e, name, r.Files[i].Number)
			}
		}
	}
	w.sendHeld(e)
	w.given = now
}

// hand adds a file to an event, which is sent when it is full; it returns the event to go on with. What cannot be given is not held.
func (w *worker) hand(e Event, name Held, number int) Event {
	fd, err := unix.Open(ownLink(number), unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return e
	}
	e.Held, e.FDs = append(e.Held, name), append(e.FDs, fd)
	if len(e.FDs) < mostHeld {
		return e
	}
	w.sendHeld(e)
	return Event{Kind: e.Kind, Rank: e.Rank}
}

func (w *worker) sendHeld(e Event) {
	if len(e.FDs) == 0 {
		return
	}
	w.send(e)
	for _, fd := range e.FDs {
		unix.Close(fd)
	}
}

// Names of files may hold any byte but zero, and JSON strings would replace what is not UTF-8.

// MarshalJSON has the path travel as bytes.
func (h Held) MarshalJSON() ([]byte, error) {
	return json.Marshal(wireHeld{h.Object, []byte(h.Path)})
}

// UnmarshalJSON reads what MarshalJSON has written.
func (h *Held) UnmarshalJSON(data []byte) error {
	var w wireHeld
	err := json.Unmarshal(data, &w)
	*h = Held{w.Object, string(w.Path)}
	return err
}

type wireHeld struct {
	Object
	Path []byte
}

// MarshalJSON has the path travel as bytes.
func (f File) MarshalJSON() ([]byte, error) {
	return json.Marshal(wireFile{plainFile(f), []byte(f.Path)})
}

// UnmarshalJSON reads what MarshalJSON has written.
func (f *File) UnmarshalJSON(data []byte) error {
	var w wireFile
	err := json.Unmarshal(data, &w)
	*f = File(w.plainFile)
	f.Path = string(w.Path)
	return err
}

type plainFile File // without the methods

type wireFile struct {
	plainFile
	Path []byte // in place of that in there
}
