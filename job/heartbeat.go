package job

import (
	"fmt"
	"slices"
	"time"
)

// heartbeat finds workers that live and do not answer: stopped, or in a loop of the runtime. Only the manager's goroutine uses it.
type heartbeat struct {
	limit  time.Duration // without an answer
	ticker *time.Ticker
	last   time.Time
}

// DefaultTimeout is FT.Timeout unless somebody says otherwise.
const DefaultTimeout = 30 * time.Second

func newHeartbeat(limit time.Duration) *heartbeat {
	return &heartbeat{limit: limit, ticker: time.NewTicker(limit / 4), last: time.Now()}
}

// checkHeartbeats asks all workers for a sign of life, and gives up those that have not given one. When this process was itself not running for a while,
// nobody is blamed.
func (m *manager) checkHeartbeats() {
	now := time.Now()
	late := now.Sub(m.heartbeat.last) > m.heartbeat.limit/2
	m.heartbeat.last = now
	if m.stage != stageRun {
		return
	}
	if r := m.renewal; r != nil {
		if late {
			r.began = now
		}
		m.hurry(now.Sub(r.began))
		return
	}
	for _, w := range m.workers {
		waits := !m.launched && w.hello != nil // for its configuration
		if late || waits || w.heard.IsZero() {
			w.heard = now
		}
		if !w.alive() || w.silent || w.done || w.dies {
			continue
		}
		if silence := now.Sub(w.heard); silence > m.heartbeat.limit {
			m.failed(1, w.isSilent(silence), "")
			return
		}
		if m.launched {
			_ = w.outbox.send(message{Kind: kindPing}) // with as much unsent it has been asked
		}
	}
}

// hurry gives up a worker that was to leave that long ago.
func (m *manager) hurry(silence time.Duration) {
	if silence <= m.heartbeat.limit || !m.isToLeave() {
		return
	}
	if i := slices.IndexFunc(m.workers, (*worker).alive); i >= 0 {
		m.failsToLeave(1, m.workers[i].isSilent(silence))
	}
}

func (w *worker) isSilent(since time.Duration) error {
	return fmt.Errorf("worker %d (pid %d) has not answered for %.0f s (+ft-timeout): stopped, or its machine has no time for it", w.pe, w.pid, since.Seconds())
}
