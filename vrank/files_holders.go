package vrank

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// holders knows which processes have what open, from one look at all that may be looked at, when it is first asked. What a rank has to
// itself alone can be made again, what it shares cannot.
type holders struct {
	places map[string][]place // by what /proc says of a descriptor
}

// place is a descriptor of some process.
type place struct{ pid, fd int }

// check says who else has an object of the rank, whose descriptors are in a list. What has a name may be anybody's.
func (h *holders) check(list []File, f *File) error {
	if f.Same != 0 || f.Kind == FileRegular || f.Kind == FileDirectory || f.Kind == FileDevice {
		return nil
	}
	if h.places == nil {
		h.look()
	}
	link, err := os.Readlink(ownLink(f.Number))
	if err != nil {
		return fmt.Errorf("nothing is known of its descriptor %d: %w", f.Number, err)
	}
	if f.Kind == FileMemory {
		link = sharedMemory
	}
	for _, p := range h.places[link] {
		if p.pid == os.Getpid() && isIn(list, p.fd) {
			continue
		}
		has, err := p.has(f)
		if err != nil {
			return err
		}
		if !has || p.isHeld() {
			continue
		}
		return fmt.Errorf("its descriptor %d is %s, which %s has open too: checkpoints have to wait until one of them closes it",
			f.Number, nameOf(f.Path), p.name())
	}
	return nil
}

func isIn(list []File, fd int) bool {
	for i := range list {
		if list[i].Number == fd {
			return true
		}
	}
	return false
}

// look reads the descriptors of all processes, as far as they are there and may be read.
func (h *holders) look() {
	h.places = map[string][]place{}
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, process := range processes {
		pid, _ := strconv.Atoi(filepath.Base(process))
		dir, err := os.Open(process + "/fd")
		if err != nil {
			continue
		}
		names, _ := dir.Readdirnames(-1)
		dir.Close()
		for _, name := range names {
			if link, err := os.Readlink(process + "/fd/" + name); err == nil {
				fd, _ := strconv.Atoi(name)
				if strings.HasPrefix(link, sharedMemory) { // one that has several names, or had
					h.places[sharedMemory] = append(h.places[sharedMemory], place{pid, fd})
				}
				h.places[link] = append(h.places[link], place{pid, fd})
			}
		}
	}
}

// has tells whether what is there is f's: equal names say so only of what has a number in it.
func (p place) has(f *File) (bool, error) {
	switch f.Kind {
	case FileSocket:
		return true, nil
	case FilePipe, FileRemoved, FileMemory:
		var st unix.Stat_t
		err := unix.Stat(p.path("fd/"+strconv.Itoa(p.fd)), &st)
		return err == nil && Object{st.Dev, st.Ino} == f.Object, nil
	}
	return isSameOpenFile(p.pid, p.fd, f.Number)
}

// isHeld tells whether the job's manager only keeps it from going away.
func (p place) isHeld() bool {
	if p.pid != os.Getppid() {
		return false
	}
	flags := 0
	err := factsOf(p.path("fdinfo/"+strconv.Itoa(p.fd)), func(name, value string) (err error) {
		if name == "flags" {
			_, err = fmt.Sscanf(value, "%o", &flags)
		}
		return err
	})
	return err == nil && flags&unix.O_PATH != 0
}

func (p place) path(name string) string { return fmt.Sprintf("/proc/%d/%s", p.pid, name) }

// name is the process, or the rank.
func (p place) name() string {
	own, _ := os.Readlink("/proc/self/exe")
	if theirs, _ := os.Readlink(p.path("exe")); theirs == own {
		if rank := ownerOf(p.fd); rank >= 0 {
			return fmt.Sprintf("rank %d", rank)
		}
	}
	if p.pid == os.Getpid() || p.pid == os.Getppid() {
		return "the job (it was started with it)"
	}
	name, _ := os.ReadFile(p.path("comm"))
	return fmt.Sprintf("process %d (%s)", p.pid, strings.TrimSpace(string(name)))
}
