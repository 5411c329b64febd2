package vrank

import (
	"reflect"
	"testing"

	"ampirun/internal/wire"
)

// TestNamesTravel has names of files come as they went that are not UTF-8.
func TestNamesTravel(t *testing.T) {
	e := Event{Kind: EventRetained, Retained: []Retained{{Object{1, 2}, "/a\xff\"b"}}, FDs: []int{7},
		Frozen: &Frozen{Ranks: []FrozenRank{{Files: []File{{Number: 64, Path: "/a\xff\"b", Kind: FileRegular, Object: Object{1, 2}, Size: 5, Locks: []Lock{{Whole: true}}}}}}}}
	var got Event
	if err := wire.Decode(wire.Encode(e), &got); err != nil {
		t.Fatal(err)
	}
	e.FDs = nil // they travel apart
	if !reflect.DeepEqual(got, e) {
		t.Errorf("%+v came, %+v went", got, e)
	}
	if name, ok := got.Frozen.Ranks[0].Files[0].Retained(); !ok || name != got.Retained[0] {
		t.Errorf("%+v is not %+v", name, got.Retained[0])
	}
}
