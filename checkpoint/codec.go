package checkpoint

import (
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
)

// Compression says when blocks are compressed.
type Compression int

const (
	CompressAuto   Compression = iota // when it is faster than to write what it saves
	CompressAlways                    // whenever a block becomes smaller
	CompressNever
)

const (
	guessedSpeed = 500e6 // bytes in a second that a disk takes of which nothing is known
	probeSoon    = 16    // while blocks are written as they are, one of so many is tried,
	probeLate    = 256   // and after each try that was in vain one of twice as many, up to so many
	smaller      = 16    // a block that shrinks by less than 1/16 stays as it is
)

// tuner learns what compressing costs and brings. The goroutines of a Save share it, and it stays from one to the next.
//
// With w processors, c seconds of one for a byte, a ratio r of what is left and a disk that takes d bytes in a second,
// compressing pays if c/w < (1-r)/d. That the disk works while others compress is left out on purpose: the processors
// that compressing takes are the program's.
type tuner struct {
	mode    Compression
	writers float64 // w, those that can run at a time
	speed   float64 // d

	mu      sync.Mutex
	tries   int
	seconds float64 // c, and r: means in which the newest try counts one eighth
	ratio   float64
	skipped int // blocks since the last try
	pause   int // so many are, until the next one
}

// wants tells whether the next block is to be compressed.
func (t *tuner) wants() bool {
	if t.mode != CompressAuto {
		return t.mode == CompressAlways
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tries > 0 && !t.pays(t.seconds, t.ratio) && t.skipped < t.pause {
		t.skipped++
		return false
	}
	t.skipped = 0
	return true
}

func (t *tuner) pays(seconds, ratio float64) bool { return seconds/t.writers < (1-ratio)/t.speed }

// learn takes note of a try.
func (t *tuner) learn(raw, stored int, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c, r := took.Seconds()/float64(raw), float64(stored)/float64(raw)
	if t.tries == 0 {
		t.seconds, t.ratio = c, r
	}
	if t.pays(c, r) {
		t.pause = probeSoon
	} else {
		t.pause = min(max(2*t.pause, probeSoon), probeLate)
	}
	t.tries++
	t.seconds += (c - t.seconds) / 8
	t.ratio += (r - t.ratio) / 8
}

// compressor compresses blocks for one goroutine.
type compressor struct {
	*tuner
	encoder *zstd.Encoder
	out     []byte
}

// pack gives what is to be stored of a block and how; it stays until the next call.
func (c *compressor) pack(block []byte) (stored []byte, method uint32, err error) {
	if !c.wants() {
		return block, methodRaw, nil
	}
	if c.encoder == nil {
		c.encoder, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false),
			zstd.WithWindowSize(blockBytes))
		if err != nil {
			return nil, 0, err
		}
	}
	began := time.Now()
	c.out = c.encoder.EncodeAll(block, c.out[:0])
	c.learn(len(block), min(len(c.out), len(block)), time.Since(began))
	if len(c.out) > len(block)-len(block)/smaller {
		return block, methodRaw, nil
	}
	return c.out, methodZstd, nil
}
