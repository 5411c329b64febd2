package report

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"ampirun/internal/human"
	"ampirun/internal/plot"
)

// mapRows is the number of rows of ranks in the map, and mapColumns that of spans.
const mapRows, mapColumns = 256, 240

// rankMap shows which PE each rank was on, in the colour of the PE. Where a row is of several ranks it is that of most of them.
func (d *data) rankMap() template.HTML {
	rows := groups(d.facts.Ranks, mapRows)
	height := max(1.5, min(14, 380/float64(len(rows))))
	bottom := 6 + height*float64(len(rows))
	c := newDrawing("map", "which PE each rank was on", bottom+axisHeight)
	fmt.Fprintf(&c.b, `<g data-map data-left="%d" data-right="%d" data-seconds="%g" data-top="6" data-row="%g" data-block="%d" data-ranks="%d">`,
		leftEdge, rightEdge, d.seconds(), height, rows[0].last+1, d.facts.Ranks)
	paths := make([]strings.Builder, d.facts.PEs)
	gap := 0.0
	if height > 4 {
		gap = 1
	}
	for i, g := range rows {
		cells := d.rowOfMap(g)
		for from := 0; from < len(cells); {
			to := from
			for to < len(cells) && cells[to] == cells[from] {
				to++
			}
			x, width := cellAt(from), cellAt(to)-cellAt(from)
			fmt.Fprintf(&paths[cells[from]], "M%s %sh%sv%sh-%sz", coordinate(x), coordinate(6+height*float64(i)), coordinate(width), coordinate(height-gap), coordinate(width))
			from = to
		}
	}
	for pe := range paths {
		if paths[pe].Len() > 0 {
			c.path("place", paths[pe].String(), "fill:"+hue(pe, d.facts.PEs), fmt.Sprintf("PE %d", pe))
		}
	}
	c.b.WriteString("</g>")
	for i, g := range rows {
		if i%max(1, len(rows)/8) == 0 {
			c.text("number", "end", leftEdge-8, 6+height*float64(i)+min(height, 14)/2+4, fmt.Sprint(g.first))
		}
	}
	c.timeAxis(d.seconds(), bottom, bottom)
	return c.done()
}

func cellAt(i int) float64 { return leftEdge + (rightEdge-leftEdge)*float64(i)/mapColumns }

// rowOfMap is the PE of a row in each span: that which most of its ranks are on in its middle.
func (d *data) rowOfMap(g group) []int {
	cells := make([]int, mapColumns)
	counts := make([]int, d.facts.PEs)
	next := make([]int, g.last-g.first+1) // of each rank: the place after the current one
	for col := range cells {
		clear(counts)
		middle := int64((float64(col) + 0.5) / mapColumns * float64(d.last))
		for i := range next {
			all := d.places[g.first+i]
			for next[i] < len(all) && all[next[i]].from <= middle {
				next[i]++
			}
			counts[all[max(0, next[i]-1)].pe]++
		}
		for pe, n := range counts {
			if n > counts[cells[col]] {
				cells[col] = pe
			}
		}
	}
	return cells
}

// loads shows the time of each rank.
func (d *data) loads() template.HTML {
	const top, bottom = 12, 172
	rows := groups(len(d.totals), 256)
	means := make([]float64, len(rows))
	most := 0.0
	for i, g := range rows {
		for rank := g.first; rank <= g.last; rank++ {
			means[i] += d.totals[rank].User.Seconds() / float64(g.last-g.first+1)
		}
		most = max(most, means[i])
	}
	ticks := plot.RoundSteps(most)
	most = ticks[len(ticks)-1]
	c := newDrawing("loads", "time of each rank", bottom+axisHeight)
	for _, v := range ticks {
		y := bottom - (bottom-top)*v/most
		c.path("grid", fmt.Sprintf("M%d %sH%d", leftEdge, coordinate(y), rightEdge), "", "")
		c.text("number", "end", leftEdge-8, y+4, plot.Number(v))
	}
	width := float64(rightEdge-leftEdge) / float64(len(rows))
	for i, g := range rows {
		height := (bottom - top) * means[i] / most
		x := leftEdge + width*float64(i)
		c.rect("bar", x, bottom-height, max(width-min(2, width/4), 0.6), height, "", fmt.Sprintf("%s: %.3f s", g.name("rank"), means[i]))
		if i%max(1, len(rows)/8) == 0 {
			c.text("number", "middle", x+width/2, bottom+18, fmt.Sprint(g.first))
		}
	}
	c.text("number", "end", rightEdge, bottom+32, "rank")
	return c.done()
}

// matrixSize is the number of rows and columns of the matrix, at most.
const matrixSize = 64

// matrix shows who sent how much to whom; the colour is by the logarithm of bytes.
func (d *data) matrix() template.HTML {
	ranksOf := max(1, d.end.BlockSize)
	blocks := (d.facts.Ranks + ranksOf - 1) / ranksOf
	rows := groups(blocks, matrixSize)
	of := rows[0].last + 1
	messages, bytes := make([][]float64, len(rows)), make([][]float64, len(rows))
	for i := range rows {
		messages[i], bytes[i] = make([]float64, len(rows)), make([]float64, len(rows))
	}
	most := 0.0
	for _, t := range d.traffic {
		for i, to := range t.To {
			if t.From >= blocks || to >= blocks {
				continue
			}
			messages[t.From/of][to/of] += float64(t.Messages[i])
			bytes[t.From/of][to/of] += float64(t.Bytes[i])
			most = max(most, bytes[t.From/of][to/of])
		}
	}
	const side, left, top = 520, 240, 30
	c := newDrawing("matrix", "messages from ranks (rows) to ranks (columns)", side+top+10)
	c.rect("back", left, top, side, side, "", "")
	size := float64(side) / float64(len(rows))
	ranks := func(i int) group {
		return group{rows[i].first * ranksOf, min((rows[i].last+1)*ranksOf, d.facts.Ranks) - 1}
	}
	for i := range rows {
		if i%max(1, len(rows)/8) == 0 {
			at := (float64(i) + 0.5) * size
			c.text("number", "end", left-8, top+at+4, fmt.Sprint(ranks(i).first))
			c.text("number", "middle", left+at, top-8, fmt.Sprint(ranks(i).first))
		}
		for j := range rows {
			if messages[i][j] == 0 {
				continue
			}
			depth := 0.18 + 0.82*math.Log1p(bytes[i][j])/max(math.Log1p(most), 1e-9)
			c.rect("cell", left+size*float64(j), top+size*float64(i), size-min(1, size/8), size-min(1, size/8), fmt.Sprintf("fill-opacity:%.2f", depth),
				fmt.Sprintf("%s to %s: %s messages, %s", ranks(i).name("rank"), ranks(j).name("rank"), plot.Number(messages[i][j]), human.Bytes(uint64(bytes[i][j]))))
		}
	}
	c.text("number", "end", left-44, top+12, "sender")
	c.text("number", "start", left+side+10, top-8, "receiver")
	return c.done()
}
