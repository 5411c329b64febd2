package job

// questions are what workers have been asked, by number. Only the manager's goroutine uses them.
type questions struct {
	last int
	open map[int]question
}

type question struct {
	to   *worker
	done func(answer *message)
}

// ask puts a question to a worker. done is called once: with the answer, or with nil when there will be none. What it returns withdraws
// the question: done is not called any more.
func (a *asker) ask(to *worker, msg message, done func(answer *message)) (withdraw func()) {
	q := &a.questions
	if q.open == nil {
		q.open = map[int]question{}
	}
	q.last++
	number := q.last
	q.open[number] = question{to, done}
	msg.Number = number
	if to.outbox.send(msg) != nil {
		q.close(number, nil)
	}
	return func() { delete(q.open, number) }
}

// answered takes an answer; to one that was withdrawn nobody listens.
func (a *asker) answered(by *worker, answer *message) {
	q := &a.questions
	if asked, known := q.open[answer.Number]; known && asked.to != by {
		return
	}
	q.close(answer.Number, answer)
}

func (q *questions) close(number int, answer *message) {
	if asked, known := q.open[number]; known {
		delete(q.open, number)
		asked.done(answer)
	}
}

// left notes that a worker will not answer any more.
func (a *asker) left(w *worker) {
	q := &a.questions
	for number, asked := range q.open {
		if asked.to == w {
			q.close(number, nil)
		}
	}
}

// isAnswering tells whether it makes sense to ask a worker about its ranks.
func (a *asker) isAnswering(w *worker) bool {
	return a.m.launched && !a.m.ending.hasBegun() && w.alive() && !w.silent && !w.done
}
