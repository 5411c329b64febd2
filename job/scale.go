package job

import "errors"

// scale changes the number of workers: all stand still and leave, and so many others take their ranks in. done is called when those run, or with
// why nothing has changed.
func (n *renewer) scale(workers int, done func(error)) {
	n.m.freezer.ask(&freeze{halt: true, done: func(f *freeze, err error) {
		switch {
		case err != nil:
			done(err)
		case f.isRefused():
			done(errors.New(f.obstacles()))
		default:
			n.renew(&renewal{workers: workers, renewed: done})
		}
	}})
}

// isScaling tells whether the ranks stand still because others take them in.
func (n *renewer) isScaling() bool {
	return n.m.freezer.halted != nil || n.current != nil && n.current.renewed != nil || len(n.scaled) > 0
}

// cannotScale is why no worker can be replaced, with the way out; or "".
func (m *manager) cannotScale() string {
	switch why := m.opt.cannotBeSaved(); {
	case why != "":
		return "ranks cannot be given to new workers " + why
	case m.opt.recorded():
		return "a job whose workers change is not recorded: leave +trace and +lb-record out"
	}
	return ""
}
