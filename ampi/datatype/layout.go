package datatype

import (
	"math"

	"ampirun/ampi/mpi"
)

// Span is a range of bytes relative to a buffer, Hi excluded.
type Span struct{ Lo, Hi int64 }

func (s Span) shift(by int64) Span { return Span{s.Lo + by, s.Hi + by} }

func (s Span) with(o Span) Span { return Span{min(s.Lo, o.Lo), max(s.Hi, o.Hi)} }

// Layout is a datatype without its history: what is where (MPI 5.0 section 5.1). The zero value is the type without
// entries.
type Layout struct {
	Size     int64 // bytes of data in one element
	Data     Span  // from the first to the last byte of data; meaningful when Size > 0
	Natural  Span  // bounds without explicit ones: Data and what structs pad; meaningful when Size > 0
	Mark     Span  // explicit bounds, by MPI_Type_create_resized, the array types, and the old MPI_LB and MPI_UB
	LowMark  bool  // Mark.Lo is meaningful
	HighMark bool  // Mark.Hi is
	Align    int64 // largest alignment of a basic type in it
	Loops    []Loop
	Sig      []Run
	Kind     Kind  // when every entry is of one predefined type
	KindSize int64 // extent of that type
}

// Flags of struct vr_type.
const (
	FlagContiguous = 1
	FlagDense      = 2
	FlagCommitted  = 4
)

// LB is the lower bound.
func (l *Layout) LB() int64 { return l.bounds().Lo }

// Extent is the distance between elements in an array of them: upper minus lower bound.
func (l *Layout) Extent() int64 { return l.bounds().Hi - l.bounds().Lo }

func (l *Layout) bounds() Span {
	var s Span
	if l.Size > 0 {
		s = l.Natural
	}
	if l.LowMark {
		s.Lo = l.Mark.Lo
	}
	if l.HighMark {
		s.Hi = l.Mark.Hi
	}
	return s
}

func (l *Layout) isMarked() bool { return l.LowMark || l.HighMark }

// padded rounds the upper bound up to the alignment of the basic types, as compilers do with structs. MPI 5.0 section 5.1
// defines that for all types; MPICH does it for structs only, and programs have come to rely on the difference.
func (l *Layout) padded() *Layout {
	l.Natural.Hi = l.Natural.Lo + roundUp(l.Natural.Hi-l.Natural.Lo, l.Align)
	return l
}

// TrueLB is where the first byte of data lies; 0 without data.
func (l *Layout) TrueLB() int64 {
	if l.Size == 0 {
		return 0
	}
	return l.Data.Lo
}

// TrueExtent is the distance from the first byte of data to after the last.
func (l *Layout) TrueExtent() int64 {
	if l.Size == 0 {
		return 0
	}
	return l.Data.Hi - l.Data.Lo
}

// Flags says how simple the data lies: FlagDense when an element is one piece, FlagContiguous when any number of them is.
func (l *Layout) Flags() uint32 {
	if l.Size == 0 {
		return FlagContiguous | FlagDense
	}
	if len(l.Loops) != 1 || !l.Loops[0].isPiece() {
		return 0
	}
	if l.Extent() == l.Size {
		return FlagContiguous | FlagDense
	}
	return FlagDense
}

func roundUp(n, align int64) int64 {
	if align <= 1 {
		return n
	}
	return (n + align - 1) / align * align
}

// limit of all displacements and sizes: far from overflow, and more than an address space has.
const limit = 1 << 60

var errTooLarge = mpi.Errorf(mpi.ErrArg, "the datatype reaches beyond 2^60 bytes")

// tooFar says whether n steps of stride leave what displacements may be.
func tooFar(n, stride int64) bool {
	return math.Abs(float64(n)*float64(stride)) > limit
}

// repeat is n elements of l, stride bytes apart, as one type.
func (l *Layout) repeat(n, stride int64) (*Layout, error) {
	if n == 0 || (l.Size == 0 && !l.isMarked()) {
		return &Layout{}, nil
	}
	if tooFar(n, stride) || tooFar(n, l.Size) {
		return nil, errTooLarge
	}
	r := *l
	last := (n - 1) * stride
	r.Size = n * l.Size
	r.Data = l.Data.with(l.Data.shift(last))
	r.Natural = l.Natural.with(l.Natural.shift(last))
	r.Mark = l.Mark.with(l.Mark.shift(last))
	r.Loops = repeatLoops(l.Loops, n, stride)
	r.Sig = repeatRuns(l.Sig, n)
	return &r, nil
}

// shifted is l with all of it moved by disp bytes.
func (l *Layout) shifted(disp int64) (*Layout, error) {
	var b builder
	if err := b.add(l, disp); err != nil {
		return nil, err
	}
	return b.layout(), nil
}

// marked is l with explicit bounds.
func (l *Layout) marked(lo, hi int64) *Layout {
	r := *l
	r.LowMark, r.HighMark, r.Mark = true, true, Span{lo, hi}
	return &r
}

// builder puts types one after another.
type builder struct{ l Layout }

func (b *builder) add(l *Layout, disp int64) error {
	b.mark(l, disp)
	if l.Size == 0 {
		return nil
	}
	if tooFar(1, disp) || b.l.Size > limit {
		return errTooLarge
	}
	if b.l.Size == 0 {
		b.l.Data, b.l.Natural, b.l.Kind, b.l.KindSize = l.Data.shift(disp), l.Natural.shift(disp), l.Kind, l.KindSize
	}
	if b.l.Kind != l.Kind {
		b.l.Kind, b.l.KindSize = KindNone, 0
	}
	b.l.Data = b.l.Data.with(l.Data.shift(disp))
	b.l.Natural = b.l.Natural.with(l.Natural.shift(disp))
	b.l.Size += l.Size
	b.l.Align = max(b.l.Align, l.Align)
	b.l.Loops = appendLoops(b.l.Loops, l.Loops, disp)
	b.l.Sig = appendRuns(b.l.Sig, l.Sig)
	return nil
}

// mark takes over the explicit bounds of a part: the lowest and the highest win.
func (b *builder) mark(l *Layout, disp int64) {
	if l.LowMark {
		if lo := l.Mark.Lo + disp; !b.l.LowMark || lo < b.l.Mark.Lo {
			b.l.LowMark, b.l.Mark.Lo = true, lo
		}
	}
	if l.HighMark {
		if hi := l.Mark.Hi + disp; !b.l.HighMark || hi > b.l.Mark.Hi {
			b.l.HighMark, b.l.Mark.Hi = true, hi
		}
	}
}

func (b *builder) layout() *Layout {
	b.l.Loops = tabulate(b.l.Loops)
	return &b.l
}
