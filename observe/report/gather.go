package report

import (
	"cmp"
	"io"
	"slices"
	"time"

	"ampirun/observe/timeline"
)

// maxColumns is the number of spans that the time of a job is divided into, at most.
const maxColumns = 320

// firstColumn is how long a span is at first, in nanoseconds: it doubles whenever there would be too many.
const firstColumn = 1 << 14

// maxMoves is the number of moves that are listed.
const maxMoves = 500

// span is what a PE did in one of the spans, in nanoseconds.
type span struct{ busy, idle float64 }

// data is what a trace says, added up as far as the page shows it.
type data struct {
	facts  timeline.Facts
	end    timeline.End
	ended  bool
	cut    bool // the file ends in the middle
	last   int64
	column int64 // length of a span, in nanoseconds
	spans  [][]span
	steps  []timeline.Step
	totals []timeline.RankTotal

	traffic []timeline.Traffic

	runs, gathered, messages uint64  // runs that are shown, that were only added up; messages
	moves                    []*move // the first ones
	moved                    int
	halves                   map[passage]*move // moves of which one end has been read
	places                   [][]place         // by rank, in the order of time
}

// move is a rank's way to another PE.
type move struct {
	rank, from, to int
	left, at       int64 // nanoseconds; from is -1 where it is not known when it left
}

// passage names a move: PEs tell of its two ends in any order.
type passage struct{ rank, number int }

// place is where a rank is from some time on.
type place struct {
	from int64
	pe   int
}

// gather reads a trace. One that is cut off is read as far as it goes.
func gather(in io.Reader) (*data, error) {
	d := &data{column: firstColumn, halves: map[passage]*move{}}
	err := timeline.Read(in, timeline.Handler{
		Facts:   d.begin,
		Run:     d.run,
		Message: func(m timeline.Message) { d.messages++; d.reach(m.At) },
		Move:    d.move,
		Step:    func(s timeline.Step) { d.steps = append(d.steps, s); d.reach(s.At) },
		Totals:  func(t []timeline.RankTotal) { d.totals = t },
		Traffic: func(t timeline.Traffic) { d.traffic = append(d.traffic, t) },
		End:     func(e timeline.End) { d.end, d.ended = e, true; d.reach(e.Elapsed.Nanoseconds()) },
	})
	if err == timeline.ErrCut {
		d.cut, err = true, nil
	}
	if err != nil {
		return nil, err
	}
	d.finish()
	return d, nil
}

func (d *data) begin(f timeline.Facts) error {
	d.facts = f
	d.spans = make([][]span, f.PEs)
	for pe := range d.spans {
		d.spans[pe] = make([]span, maxColumns)
	}
	d.places = make([][]place, f.Ranks)
	for rank, pe := range f.Mapping {
		d.places[rank] = []place{{0, pe}}
	}
	return nil
}

// finish puts in order what PEs have told one after the other.
func (d *data) finish() {
	d.keepFirstMoves()
	for _, all := range d.places {
		slices.SortStableFunc(all, func(a, b place) int { return cmp.Compare(a.from, b.from) })
	}
	if !d.ended {
		d.cut = true
		d.end.Elapsed = time.Duration(d.last)
	}
}

// reach makes room for a time.
func (d *data) reach(at int64) {
	d.last = max(d.last, at)
	for at >= d.column*maxColumns {
		d.column *= 2
		for _, row := range d.spans {
			for i := range maxColumns / 2 {
				row[i] = span{row[2*i].busy + row[2*i+1].busy, row[2*i].idle + row[2*i+1].idle}
			}
			clear(row[maxColumns/2:])
		}
	}
}

func (d *data) run(r timeline.Run) {
	d.reach(r.To)
	share := span{busy: 1}
	switch r.Rank {
	case timeline.Idle:
		share = span{idle: 1}
	case timeline.Many:
		d.gathered += uint64(r.Runs)
		if r.To > r.From {
			share.busy = float64(r.Busy) / float64(r.To-r.From)
		}
	default:
		d.runs++
	}
	row := d.spans[r.PE]
	for at := r.From; at < r.To; {
		i := at / d.column
		until := min(r.To, (i+1)*d.column)
		row[i].busy += share.busy * float64(until-at)
		row[i].idle += share.idle * float64(until-at)
		at = until
	}
}

func (d *data) move(m timeline.Move) {
	d.reach(m.At)
	key := passage{m.Rank, m.Number}
	v := d.halves[key]
	if v == nil {
		v = &move{rank: m.Rank, from: -1, at: -1}
		d.halves[key] = v
	} else {
		delete(d.halves, key)
	}
	if !m.Arrived {
		v.from, v.left = m.PE, m.At
		return
	}
	v.to, v.at = m.PE, m.At
	d.moved++
	d.places[m.Rank] = append(d.places[m.Rank], place{m.At, m.PE})
	if d.moves = append(d.moves, v); len(d.moves) > 64*maxMoves { // PEs take turns in the file, so those to come are not earlier by much
		d.keepFirstMoves()
	}
}

func (d *data) keepFirstMoves() {
	slices.SortStableFunc(d.moves, func(a, b *move) int { return cmp.Compare(a.at, b.at) })
	d.moves = d.moves[:min(len(d.moves), maxMoves)]
}

// columns is how many spans the job took.
func (d *data) columns() int { return int(d.last/d.column) + 1 }

// width is how much of a span the job took.
func (d *data) width(column int) float64 {
	return float64(max(1, min(d.column, d.last-int64(column)*d.column)))
}

// busy is the seconds that each PE was.
func (d *data) busy() []float64 {
	all := make([]float64, len(d.spans))
	for pe, row := range d.spans {
		for _, s := range row {
			all[pe] += s.busy / 1e9
		}
	}
	return all
}

// imbalance is the largest of the loads against their mean; 0 where there is none.
func imbalance(loads []float64) float64 {
	sum := 0.0
	for _, l := range loads {
		sum += l
	}
	if sum == 0 {
		return 0
	}
	return slices.Max(loads) * float64(len(loads)) / sum
}
