package job

import (
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ampirun/vrank"
)

// input is the standard input of a job that may go back: what was read since then can be read again. A file has places to go back to, which the
// workers that inherit it share. Of anything else all is kept that has come since the last checkpoint, and workers get it through a pipe.
type input struct {
	file   *os.File
	isFile bool
	begin  int64 // the place of the first byte of the job

	mu     sync.Mutex
	news   *sync.Cond // something of what follows has changed
	text   []byte     // what has come
	at     int64      // the place of its first byte
	fed    int64      // the place of the next byte for the pipe
	isHeld bool
	isOver bool     // nothing more will come
	pipe   *os.File // to the workers that are there; nil: none
}

const (
	inputAhead = 64 << 10 // bytes that are read before anybody wants them
	inputPiece = 4096     // that are written at a time
	inputWait  = 20 * time.Millisecond
)

func newInput(file *os.File) *input {
	in := &input{file: file, isHeld: true}
	in.news = sync.NewCond(&in.mu)
	var st unix.Stat_t
	if unix.Fstat(int(file.Fd()), &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFREG {
		in.begin, _ = unix.Seek(int(file.Fd()), 0, unix.SEEK_CUR)
		in.isFile = true
	}
	return in
}

// open gives new workers something to inherit as their standard input, where nothing comes until goOn. It is to be closed here when they have it.
func (in *input) open() (*os.File, error) {
	if in.isFile {
		fd, err := unix.FcntlInt(in.file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			return nil, fmt.Errorf("standard input: %w", err)
		}
		return os.NewFile(uintptr(fd), "input"), nil
	}
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return nil, fmt.Errorf("create input pipe: %w", err)
	}
	if err := unix.SetNonblock(ends[1], true); err != nil {
		return nil, fmt.Errorf("create input pipe: %w", err)
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	first := in.pipe == nil
	in.isHeld = true
	in.pipe = os.NewFile(uintptr(ends[1]), "input")
	if first {
		go in.fetch()
	}
	go in.feed(in.pipe)
	return os.NewFile(uintptr(ends[0]), "input"), nil
}

// goOn has the input go on where the job does; nil: where it began.
func (in *input) goOn(from *rollbackTarget) error {
	if in == nil {
		return nil
	}
	place := in.begin
	if from != nil && from.isOurs {
		place = from.read
	}
	if in.isFile {
		_, err := unix.Seek(int(in.file.Fd()), place, unix.SEEK_SET)
		return err
	}
	in.mu.Lock()
	in.fed = place
	in.mu.Unlock()
	in.hold(false)
	return nil
}

// place is where rank 0 is, which is not reading; the input is held.
func (in *input) place(s *vrank.InputState) int64 {
	switch {
	case in == nil || s == nil:
		return 0
	case in.isFile:
		return s.Offset
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.fed - s.Unread
}

// forget drops what comes before a place.
func (in *input) forget(place int64) {
	if in == nil || in.isFile {
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.text = append([]byte(nil), in.text[place-in.at:]...)
	in.at = place
}

// hold stops or starts what goes through the pipe.
func (in *input) hold(held bool) {
	if in == nil {
		return
	}
	in.mu.Lock()
	in.isHeld = held
	in.mu.Unlock()
	in.news.Broadcast()
}

func (in *input) end() int64 { return in.at + int64(len(in.text)) }

// fetch reads what comes, not far ahead. It ends with the process at the latest.
func (in *input) fetch() {
	buf := make([]byte, inputAhead)
	for {
		in.mu.Lock()
		for in.isHeld || in.end()-in.fed >= inputAhead {
			in.news.Wait()
		}
		in.mu.Unlock()
		in.awaitForeground()
		n, err := in.file.Read(buf)
		in.mu.Lock()
		in.text = append(in.text, buf[:n]...)
		in.isOver = err != nil
		in.mu.Unlock()
		in.news.Broadcast()
		if err != nil {
			return
		}
	}
}

// awaitForeground waits until a terminal is ours to read: in the background that would stop us.
func (in *input) awaitForeground() {
	for {
		group, err := unix.IoctlGetInt(int(in.file.Fd()), unix.TIOCGPGRP)
		if err != nil || group == unix.Getpgrp() {
			return
		}
		time.Sleep(10 * inputWait)
	}
}

// feed writes to the pipe of some workers until they or the input end.
func (in *input) feed(pipe *os.File) {
	defer pipe.Close()
	fd := int(pipe.Fd())
	for {
		n, err := in.feedPiece(pipe, fd)
		switch {
		case err == unix.EAGAIN:
			unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, int(inputWait/time.Millisecond))
		case err == unix.EINTR:
		case err != nil || n == 0:
			return
		}
	}
}

// feedPiece waits until there is something and writes some of it; 0 when there will be no more.
func (in *input) feedPiece(pipe *os.File, fd int) (int, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for in.pipe == pipe && (in.isHeld || in.fed == in.end() && !in.isOver) {
		in.news.Wait()
	}
	if in.pipe != pipe || in.fed == in.end() {
		return 0, nil
	}
	rest := in.text[in.fed-in.at:]
	n, err := unix.Write(fd, rest[:min(len(rest), inputPiece)])
	in.fed += int64(max(n, 0))
	in.news.Broadcast()
	return n, err
}
