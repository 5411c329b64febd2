package codeseg_test

import (
	"math/rand/v2"
	"testing"

	"ampirun/codeseg/internal/segtest"
)

// layout makes n segments with gaps; the first is the program's code, odd ones have numbers.
func layout(n int, base uint64) []segtest.Segment {
	list := make([]segtest.Segment, n)
	for i := range list {
		start := base + uint64(i)*0x10000
		identity := segtest.IdentityOf([]byte{byte(i), byte(i >> 8), 1}, i%3)
		list[i] = segtest.Segment{Start: start, End: start + 0x8000, Identity: identity, Flags: segtest.Active}
		if i%2 == 1 {
			list[i].Index = i
		}
	}
	list[0].Flags |= segtest.Own | segtest.Code
	return list
}

func table(t testing.TB, list []segtest.Segment, indexes int) *segtest.Table {
	made := segtest.New(list, indexes)
	t.Cleanup(made.Free)
	return made
}

func TestTokensMeanTheSameElsewhere(t *testing.T) {
	list, far := layout(100, 0x400000), layout(100, 0x7f0000000000)
	rand.Shuffle(len(far), func(i, j int) { far[i], far[j] = far[j], far[i] })
	here, there := table(t, list, 100), table(t, far, 100)
	for i := range 100 {
		for _, offset := range []uint64{0, 1, 0x7fff} { // a function at the very start, and at the end
			for _, byHash := range []bool{false, true} {
				k, outcome := here.Tokenize(list[i].Start+offset, byHash)
				if outcome != segtest.OK {
					t.Fatalf("segment %d, offset %#x: outcome %d", i, offset, outcome)
				}
				at, outcome := there.Resolve(k)
				if want := 0x7f0000000000 + uint64(i)*0x10000 + offset; outcome != segtest.OK || at != want {
					t.Errorf("segment %d, offset %#x, by hash %v: %#x, outcome %d, want %#x", i, offset, byHash, at, outcome, want)
				}
			}
		}
	}
}

func TestTokenForms(t *testing.T) {
	list := layout(4, 0x400000)
	here := table(t, list, 4)
	for _, c := range []struct {
		segment int
		byHash  bool
		size    int
		word    uint64
	}{
		{0, false, 8, 0x10},
		{0, true, 8, 0x10},
		{1, false, 8, 1<<63 | 1<<48 | 0x10},
		{3, false, 8, 1<<63 | 3<<48 | 0x10},
		{3, true, 32, 1<<63 | 0x10},
		{2, false, 32, 1<<63 | 0x10},
	} {
		k, _ := here.Tokenize(list[c.segment].Start+0x10, c.byHash)
		if k.Size() != c.size || k.Word() != c.word {
			t.Errorf("segment %d, by hash %v: %d bytes, word %#x, want %d, %#x", c.segment, c.byHash, k.Size(), k.Word(), c.size, c.word)
		}
	}
}

func TestTokensThatMustNotBeFollowed(t *testing.T) {
	list := layout(6, 0x400000)
	here := table(t, list, 6)
	byIndex, _ := here.Tokenize(list[1].Start+8, false)
	byHash, _ := here.Tokenize(list[2].Start+8, false)

	closed := layout(6, 0x400000)
	for i := range closed {
		closed[i].Index = 0
	}
	closed[1].Flags, closed[2].Flags = 0, 0
	afterClose := table(t, closed, 6)
	afterClose.Retire(1)

	again := layout(6, 0x400000)
	again[1].Index, again[1].Epoch, again[2].Epoch = 0, 1, 1
	reopened := table(t, again, 6)
	reopened.Retire(1)

	twins := layout(6, 0x400000)
	twins[4].Identity = twins[2].Identity
	doubled := table(t, twins, 6)

	for at, want := range map[uint64]int{twins[2].Start: segtest.Bad, twins[4].Start: segtest.Bad, twins[1].Start: segtest.Verified} {
		if flags := doubled.FlagsAt(at); flags&(segtest.Bad|segtest.Verified) != want {
			t.Errorf("flags of the segment at %#x: %#x, want %#x among them", at, flags, want)
		}
	}
	for _, c := range []struct {
		what  string
		table *segtest.Table
		token *segtest.Token
		want  int
	}{
		{"closed, by index", afterClose, byIndex, segtest.Stale},
		{"closed, by hash", afterClose, byHash, segtest.Closed},
		{"opened again, by index", reopened, byIndex, segtest.Stale},
		{"opened again, by hash", reopened, byHash, segtest.Stale},
		{"duplicate", doubled, byHash, segtest.Duplicate},
		{"index that nobody has", here, segtest.TokenOf(1<<63 | 5000<<48), segtest.Nowhere},
		{"index of an even one", here, segtest.TokenOf(1<<63 | 2<<48), segtest.Nowhere},
		{"offset behind the end", here, segtest.TokenOf(1<<63 | 1<<48 | 0x8000), segtest.Outside},
		{"offset behind the program's code", here, segtest.TokenOf(0x8000), segtest.Outside},
		{"offset of more than 48 bits", here, segtest.TokenOf(1 << 50), segtest.Outside},
		{"identity of zeroes", here, segtest.TokenOf(1 << 63), segtest.Nowhere},
	} {
		if at, outcome := c.table.Resolve(c.token); outcome != c.want || at != 0 {
			t.Errorf("%s: %#x, outcome %d, want %d", c.what, at, outcome, c.want)
		}
	}
	for _, c := range []struct {
		what    string
		table   *segtest.Table
		address uint64
		want    int
	}{
		{"gap", here, list[1].End, segtest.Nowhere},
		{"below all", here, 0x3fffff, segtest.Nowhere},
		{"above all", here, list[5].End, segtest.Nowhere},
		{"closed", afterClose, list[2].Start, segtest.Closed},
		{"duplicate", doubled, list[4].Start, segtest.Duplicate},
	} {
		if _, outcome := c.table.Tokenize(c.address, false); outcome != c.want {
			t.Errorf("token of an address, %s: outcome %d, want %d", c.what, outcome, c.want)
		}
	}
}

func TestAllIndexesCanBeUsed(t *testing.T) {
	list := []segtest.Segment{{Start: 0x1000, End: 0x2000, Identity: [20]byte{1}, Flags: segtest.Active, Index: segtest.MaxIndex}}
	here := table(t, list, segtest.MaxIndex)
	k, _ := here.Tokenize(0x1234, false)
	if at, outcome := here.Resolve(k); outcome != segtest.OK || at != 0x1234 || k.Size() != 8 {
		t.Errorf("the last index: %#x, outcome %d, %d bytes", at, outcome, k.Size())
	}
}

func TestIdentities(t *testing.T) {
	short := segtest.IdentityOf([]byte{0xab, 0xcd}, 0)
	if want := ([20]byte{0xab, 0xcd}); short != want {
		t.Errorf("a short build ID is not filled up with zeroes: %x", short)
	}
	id := make([]byte, 20)
	id[19] = 0xff
	if got := segtest.IdentityOf(id, 1); got[18] != 1 || got[19] != 0 {
		t.Errorf("the number of the program header is not added: %x", got)
	}
	a := segtest.IdentityOfName("/lib/a.so", 1)
	if a == segtest.IdentityOfName("/lib/b.so", 1) || a == segtest.IdentityOfName("/lib/a.so", 2) {
		t.Error("names, or numbers of program headers, are not told apart")
	}
}

func BenchmarkThereAndBack(b *testing.B) {
	list := layout(100, 0x400000)
	for i := 1; i < len(list); i++ {
		list[i].Index = i
	}
	here := table(b, list, 100)
	b.Run("verified", func(b *testing.B) { here.AgainAndAgain(false, b.N) })
	b.Run("hash", func(b *testing.B) { here.AgainAndAgain(true, b.N) })
	b.Run("verified, by turns", func(b *testing.B) { here.ThereAndBack(false, b.N) })
	b.Run("hash, by turns", func(b *testing.B) { here.ThereAndBack(true, b.N) })
}
