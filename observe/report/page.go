// Package report makes one HTML page of a timeline: all that it needs is in the file.
package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"ampirun/internal/human"
)

//go:embed page.html
var pageText string

//go:embed page.css
var styleText string

//go:embed page.js
var scriptText string

var page = template.Must(template.New("page").Parse(pageText))

// view is what the page is filled with. html/template escapes what is text.
type view struct {
	Title   string
	Style   template.CSS
	Script  template.JS
	Policy  string // what the browser may do: nothing but our script
	Command string
	Cards   []card
	Notes   []string
	Facts   []fact

	Utilisation, Imbalance, Map, Loads, Matrix template.HTML
	PEs                                        []peView
	Steps                                      []stepView
	MoreSteps                                  int
	Moves                                      []moveView
	MoreMoves                                  int
}

type (
	card     struct{ Value, Name, Note string }
	fact     struct{ Name, Value string }
	peView   struct{ Name, Colour string }
	stepView struct {
		At, Strategy, Before, After string
		Moves                       int
	}
	moveView struct {
		At             string
		Rank, To       int
		From, Duration string
	}
)

// write writes the page.
func (d *data) write(out io.Writer) error {
	sum := sha256.Sum256([]byte(scriptText))
	v := &view{
		Title: d.facts.Program, Style: template.CSS(styleText), Script: template.JS(scriptText),
		Policy:  "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'",
		Command: strings.Join(append(append([]string{"ampirun"}, d.facts.Options...), d.facts.Args...), " "),
		Cards:   d.cards(), Notes: d.notes(), Facts: d.listFacts(),
		Utilisation: d.utilisation(), Imbalance: d.imbalances(), Map: d.rankMap(),
	}
	if len(d.totals) > 0 {
		v.Loads = d.loads()
	}
	if len(d.traffic) > 0 {
		v.Matrix = d.matrix()
	}
	if d.facts.PEs <= 16 {
		for pe := range d.facts.PEs {
			v.PEs = append(v.PEs, peView{fmt.Sprintf("PE %d", pe), hue(pe, d.facts.PEs)})
		}
	}
	d.listSteps(v)
	d.listMoves(v)
	return page.Execute(out, v)
}

func (d *data) cards() []card {
	busy, sum := d.busy(), 0.0
	for _, b := range busy {
		sum += b
	}
	cards := []card{
		{human.Time(d.end.Elapsed), "elapsed", fmt.Sprintf("%d ranks on %d PEs", d.facts.Ranks, d.facts.PEs)},
		{fmt.Sprintf("%.0f %%", 100*min(1, sum/d.seconds()/float64(d.facts.PEs))), "utilisation", "of the PEs' time was in ranks"},
	}
	if v := imbalance(busy); v > 0 {
		cards = append(cards, card{fmt.Sprintf("%.2f", v), "imbalance", "busiest PE against the mean"})
	}
	var sent uint64
	for _, t := range d.totals {
		sent += t.Sent
	}
	if len(d.totals) > 0 {
		cards = append(cards, card{human.Count(float64(sent)), "messages", human.Count(float64(sent)/d.seconds()) + " in a second"})
	}
	note := "no load balancing"
	if len(d.steps) > 0 {
		note = fmt.Sprintf("%d balancing steps", len(d.steps))
	}
	return append(cards, card{fmt.Sprint(d.moved), "moves", note})
}

// notes say what the page does not show.
func (d *data) notes() (notes []string) {
	if d.cut {
		notes = append(notes, "The trace ends in the middle: ampirun was killed, or could not write. What it had written before is shown.")
	}
	if d.ended && d.end.ExitCode != 0 {
		notes = append(notes, strings.TrimSuffix(fmt.Sprintf("The job ended with code %d: %s", d.end.ExitCode, d.end.Reason), ": "))
	}
	if d.gathered > 0 {
		notes = append(notes, fmt.Sprintf("%s of %s runs of ranks came too fast to be recorded one by one (+trace-limit); their time is counted all the same.",
			human.Count(float64(d.gathered)), human.Count(float64(d.gathered+d.runs))))
	}
	if d.end.Lost > 0 {
		notes = append(notes, fmt.Sprintf("There was no room to record %d ends of moves.", d.end.Lost))
	}
	return notes
}

func (d *data) listFacts() []fact {
	list := []fact{{"program", d.facts.Program}, {"began", d.facts.Began.Format(time.DateTime)},
		{"elapsed", fmt.Sprintf("%.3f s", d.end.Elapsed.Seconds())},
		{"ranks, PEs", fmt.Sprintf("%d, %d", d.facts.Ranks, d.facts.PEs)},
		{"privatization", d.facts.Method}, {"ampirun", d.facts.Version}}
	if d.ended {
		list = append(list, fact{"exit code", fmt.Sprint(d.end.ExitCode)})
	}
	return list
}

// maxSteps is the number of steps that are listed.
const maxSteps = 200

func (d *data) listSteps(v *view) {
	for i, s := range d.steps {
		if i == maxSteps {
			v.MoreSteps = len(d.steps) - i
			return
		}
		name := s.Strategy
		if s.Asked {
			name += " (AMPI_Migrate)"
		}
		v.Steps = append(v.Steps, stepView{fmt.Sprintf("%.3f", float64(s.At)/1e9), name, fmt.Sprintf("%.2f", s.Before), fmt.Sprintf("%.2f", s.After), s.Moves})
	}
}

func (d *data) listMoves(v *view) {
	for _, m := range d.moves {
		row := moveView{At: fmt.Sprintf("%.4f", float64(m.at)/1e9), Rank: m.rank, To: m.to, From: "?", Duration: "?"}
		if m.from >= 0 {
			row.From, row.Duration = fmt.Sprint(m.from), human.Time(time.Duration(max(0, m.at-m.left)))
		}
		v.Moves = append(v.Moves, row)
	}
	v.MoreMoves = d.moved - len(d.moves)
}
