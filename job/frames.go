package job

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"ampirun/vrank"
)

const (
	frameHeaderSize = 12   // encoded size of vrank.FrameHeader
	frameMaxSize    = 4096 // a frame with its header: what a pipe takes in one piece
)

// idleTime is how long a terminal waits for the end of a line that somebody may want to see now, such as a prompt.
const idleTime = 50 * time.Millisecond

// eachFrame calls visit for every whole frame at the start of buf and returns how many bytes they take. An error means
// that buf does not hold frames of a job of that many ranks.
func eachFrame(buf []byte, ranks int, visit func(src source, data []byte)) (used int, err error) {
	for len(buf)-used >= frameHeaderSize {
		h := vrank.FrameHeader{
			Rank:   binary.LittleEndian.Uint32(buf[used:]),
			Stream: binary.LittleEndian.Uint32(buf[used+4:]),
			Length: binary.LittleEndian.Uint32(buf[used+8:]),
		}
		if int64(h.Rank) >= int64(ranks) || h.Stream < streamOut || h.Stream > streamErr || h.Length > frameMaxSize-frameHeaderSize {
			return used, fmt.Errorf("output pipe holds no frame: rank %d, stream %d, length %d", h.Rank, h.Stream, h.Length)
		}
		end := used + frameHeaderSize + int(h.Length)
		if end > len(buf) {
			break
		}
		visit(source{int(h.Rank), int(h.Stream)}, buf[used+frameHeaderSize:end])
		used = end
	}
	return used, nil
}

// pump moves output from pipes to the merger, one goroutine per pipe.
type pump struct {
	out       *merger
	outputLog *outputLog    // of the ranks
	idle      time.Duration // after which unfinished lines are shown; 0: never
}

// frames passes on the frames of all ranks until the pipe ends.
func (p pump) frames(pipe *os.File, ranks int) error {
	buf := make([]byte, 256<<10)
	filled := 0
	for {
		n, err := p.read(pipe, buf[filled:])
		filled += n
		var used int
		var bad error
		p.out.update(func() { used, bad = eachFrame(buf[:filled], ranks, p.put) })
		filled = copy(buf, buf[used:filled])
		if bad != nil {
			return bad
		}
		if err != nil {
			return endOfPipe(err)
		}
	}
}

// put passes on what is new of a frame. An empty one says that the rank has no more.
func (p pump) put(src source, data []byte) {
	news := p.outputLog.pass(src, data)
	if len(news) > 0 || len(data) == 0 {
		p.out.put(src, news)
	}
}

// plain passes on what a worker process and the children of its ranks write themselves.
func (p pump) plain(pipe *os.File, src source) error {
	buf := make([]byte, 32<<10)
	for {
		n, err := p.read(pipe, buf)
		if n > 0 {
			p.out.update(func() { p.out.put(src, buf[:n]) })
		}
		if err != nil {
			return endOfPipe(err)
		}
	}
}

// read waits for data; when a terminal waits with it, unfinished lines are shown after a pause.
func (p pump) read(pipe *os.File, buf []byte) (int, error) {
	if p.idle == 0 || !p.out.hasPartial() {
		return pipe.Read(buf)
	}
	pipe.SetReadDeadline(time.Now().Add(p.idle))
	n, err := pipe.Read(buf)
	pipe.SetReadDeadline(time.Time{})
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return n, err
	}
	p.out.passAll()
	return pipe.Read(buf)
}

func endOfPipe(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return fmt.Errorf("read output: %w", err)
}
