package job

import (
	"fmt"
	"slices"
	"time"
)

// heartbeat finds workers that live and do not answer: stopped, or in a loop of the runtime. Only the manager's goroutine uses it.
type heartbeat struct {
	m      *manager
	limit  time.Duration // without an answer
	ticker *time.Ticker
	last   time.Time
}

// DefaultTimeout is FT.Timeout unless somebody says otherwise.
const DefaultTimeout = 30 * time.Second

func newHeartbeat(m *manager, limit time.Duration) *heartbeat {
	return &heartbeat{m: m, limit: limit, ticker: time.NewTicker(limit / 4), last: time.Now()}
}

// check asks all workers for a sign of life, and gives up those that have not given one. When this process was itself not running for a while,
// nobody is blamed.
func (h *heartbeat) check() {
	now := time.Now()
	late := now.Sub(h.last) > h.limit/2
	h.last = now
	if h.m.ending.hasBegun() {
		return
	}
	if r := h.m.renewer.current; r != nil {
		if late {
			r.began = now
		}
		h.hurry(now.Sub(r.began))
		return
	}
	for _, w := range h.m.workers {
		waits := !h.m.launched && w.hello != nil // for its configuration
		if late || waits || w.heard.IsZero() {
			w.heard = now
		}
		if !w.alive() || w.silent || w.done || w.dies {
			continue
		}
		if silence := now.Sub(w.heard); silence > h.limit {
			h.m.recovery.failed(1, w.isSilent(silence), "")
			return
		}
		if h.m.launched {
			_ = w.outbox.send(message{Kind: kindPing}) // with as much unsent it has been asked
		}
	}
}

// hurry gives up a worker that was to leave that long ago.
func (h *heartbeat) hurry(silence time.Duration) {
	if silence <= h.limit || !h.m.renewer.isToLeave() {
		return
	}
	if i := slices.IndexFunc(h.m.workers, (*worker).alive); i >= 0 {
		h.m.renewer.failsToLeave(1, h.m.workers[i].isSilent(silence))
	}
}

func (w *worker) isSilent(since time.Duration) error {
	return fmt.Errorf("worker %d (pid %d) has not answered for %.0f s (+ft-timeout): stopped, or its machine has no time for it", w.pe, w.pid, since.Seconds())
}
