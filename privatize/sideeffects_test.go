package privatize

import (
	"slices"
	"testing"
)

// TestProcessorIsAskedOnce wants what libgcc's constructor finds out to be in images that were made later, before it runs there.
func TestProcessorIsAskedOnce(t *testing.T) {
	p := load(t, compile(t, "cxx", "-O1", "cxx.cc"))
	i := slices.IndexFunc(p.images, func(im *image) bool { _, ok := im.indicator(); return ok })
	if i < 0 {
		t.Skip("this libgcc has no such constructor")
	}
	model, ok := p.images[i].find(newQuery("__cpu_model", "GCC_4.8.0"))
	if !ok {
		t.Fatal("libgcc has no __cpu_model")
	}
	ranks, _ := mapSlices(t, 2)
	for _, s := range ranks {
		if err := p.Instance(s.Images()); err != nil {
			t.Fatal(err)
		}
	}
	at := func(base uintptr) uint64 { return *word(base + uintptr(p.images[i].bias+model.value)) }
	if first, second := at(ranks[0].Images()), at(ranks[1].Images()); first == 0 || second != first {
		t.Errorf("the first images say %#x, the second %#x", first, second)
	}
}
