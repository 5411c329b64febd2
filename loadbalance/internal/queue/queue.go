// Package queue is a heap of numbered candidates, for algorithms that offer one again whenever its value changes and skip
// entries that are out of date when they come up.
package queue

// Candidate is a vertex or rank with its value when it was offered.
type Candidate struct {
	Value int64
	ID    int32
}

// Queue is a binary heap with the largest value on top; of equal ones, the smaller number.
type Queue []Candidate

func (a Candidate) before(b Candidate) bool {
	return a.Value > b.Value || a.Value == b.Value && a.ID < b.ID
}

// Push adds a candidate.
func (q *Queue) Push(c Candidate) {
	h := append(*q, c)
	i := len(h) - 1
	for i > 0 && c.before(h[(i-1)/2]) {
		h[i] = h[(i-1)/2]
		i = (i - 1) / 2
	}
	h[i] = c
	*q = h
}

// Pop takes the top off; the queue is not empty.
func (q *Queue) Pop() {
	h := *q
	last := h[len(h)-1]
	h = h[:len(h)-1]
	*q = h
	if len(h) == 0 {
		return
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && h[child+1].before(h[child]) {
			child++
		}
		if !h[child].before(last) {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = last
}
