package privatize

import "fmt"

// What a copy holds of the worker's libraries, addresses of functions and copies of variables, is another worker's business
// after a move. So the words are known, and what ld.so has put there is recorded in the image area: the next worker has its own
// ld.so load the same copy at the same place, which also lets its unwinder and its dlsym know the program, and replaces the
// words that still are what the last one had.

// placeRecord makes room for the record behind the images.
func (h *ldso) placeRecord() {
	p := h.program
	if h.how.Movable && len(h.copy.foreign) > 0 {
		p.tableAt = p.span
		p.span += pageUp(8 * uint64(len(h.copy.foreign)))
	}
}

// valuesAt reads what ld.so has put into the copy at base.
func (h *ldso) valuesAt(base uintptr) []uint64 {
	if !h.how.Movable {
		return nil
	}
	values := make([]uint64, len(h.copy.foreign))
	for i, at := range h.copy.foreign {
		values[i] = *word(base + uintptr(at))
	}
	return values
}

// record writes it down for other workers.
func (h *ldso) record(base uintptr, values []uint64) {
	for i, v := range values {
		*word(base + uintptr(h.program.slot(i))) = v
	}
}

// Attach adopts the images at base that another worker of the job has placed there.
func (h *ldso) Attach(base uintptr) (Placed, error) {
	p := h.program
	if !h.how.Movable {
		return Placed{}, staysError(h.how)
	}
	if p.opts.Backing == nil {
		return Placed{}, fmt.Errorf("attach the program at %#x: its variables are not in shared memory", base)
	}
	o, ok := h.opened[base] // it has been here before
	if !ok {
		var err error
		if o, err = h.loadAt(base); err != nil {
			return Placed{}, err
		}
		b := p.opts.Backing(base)
		for i := range p.privates {
			if err := p.mapRange(base, b, &p.privates[i]); err != nil {
				return Placed{}, err
			}
		}
	}
	h.rebind(base, o.values)
	return h.describe(base, o.symbol)
}

// rebind replaces what the last worker's ld.so has put into the copy at base, unless the program has changed it.
func (h *ldso) rebind(base uintptr, here []uint64) {
	for i, at := range h.copy.foreign {
		was := word(base + uintptr(h.program.slot(i)))
		replace(base+uintptr(at), *was, here[i])
		*was = here[i]
	}
}

// CommitPrivate has nothing to do: the pages have been the job's since the rank was placed.
func (h *ldso) CommitPrivate(uintptr) error { return nil }

func (h *ldso) NeedSettling() bool { return false }

// Rebinding is none: ld.so has the copies.
func (h *ldso) Rebinding() *Rebinding { return nil }

// Detach has ld.so forget the copy at base, whose rank goes on in another worker.
func (h *ldso) Detach(base uintptr) error {
	if !h.how.Movable {
		return staysError(h.how)
	}
	o, ok := h.opened[base]
	if !ok {
		return fmt.Errorf("no copy of the program is at %#x", base)
	}
	delete(h.opened, base)
	if err := o.close(); err != nil {
		return fmt.Errorf("unload the copy at %#x: %w", base, err)
	}
	return h.restore(base, 0, h.extent)
}
