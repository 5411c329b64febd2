package job

import "sync"

// outputLog counts what each rank has written to its standard output and error. When a job goes back to a checkpoint, ranks compute again
// and write again what has been passed on already: that is left out. Any goroutine may use it.
type outputLog struct {
	mu     sync.Mutex
	passed [][2]uint64 // bytes, by rank and stream
	again  [][2]uint64 // bytes that are about to come again
}

// newOutputLog takes what ranks had written before this process heard them; nil: nothing.
func newOutputLog(ranks int, before [][2]uint64) *outputLog {
	l := &outputLog{passed: make([][2]uint64, ranks), again: make([][2]uint64, ranks)}
	copy(l.passed, before)
	return l
}

// pass takes what a rank has written and gives what of it is new.
func (l *outputLog) pass(src source, data []byte) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := src.stream - streamOut
	again, passed := &l.again[src.rank][i], &l.passed[src.rank][i]
	old := min(*again, uint64(len(data)))
	*again -= old
	*passed += uint64(len(data)) - old
	return data[old:]
}

// rollBack takes how much each rank had written where the job goes on from; nil: nothing. All that it wrote after that has been passed.
func (l *outputLog) rollBack(written [][2]uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	then := make([][2]uint64, len(l.passed))
	copy(then, written)
	for rank, passed := range l.passed {
		for i, n := range passed {
			l.again[rank][i] = n - min(n, then[rank][i])
		}
	}
}
