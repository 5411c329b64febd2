package job

// mailbox is how other goroutines reach the manager's. Its methods may be called from any goroutine.
type mailbox struct {
	posts   chan func()
	failure chan error    // why output was lost: the first reason
	closed  chan struct{} // closed when nobody takes posts any more
}

func newMailbox() *mailbox {
	return &mailbox{posts: make(chan func(), 64), failure: make(chan error, 1), closed: make(chan struct{})}
}

// post hands f to the manager's goroutine; it is dropped when the job is over.
func (b *mailbox) post(f func()) {
	select {
	case b.posts <- f:
	case <-b.closed:
	}
}

// fail notes that output was lost, also with locks held.
func (b *mailbox) fail(err error) {
	select {
	case b.failure <- err:
	default:
	}
}
