package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
)

// experiment is a program that is run in one shape by some implementations, and the figures made of its samples.
type experiment struct {
	name       string
	program    string
	args       []string
	pes, ranks int
	rounds     int       // runs of each implementation; a third of it with -quick
	foreign    []string  // arguments under other MPIs; nil keeps them out
	native     bool      // the same program without MPI runs beside
	extra      []string  // further flags of ampirun
	variants   []variant // ampirun with other flags, beside
	ampi       []string  // flags of AMPI; nil keeps it out
	collect    func(e *experiment, f *finished) (map[string]series, error)
	staged     func(ctx context.Context, e *experiment, im *implementation, program string) (map[string]series, error) // instead of one run: several
	inside     func(ctx context.Context, b *builder) (map[string]series, error)                                        // instead of a program: a function
	figures    []*figure
}

// variant is ampirun with other further flags, under a name of its own.
type variant struct {
	name  string
	extra []string
}

// measure runs the rounds, implementations taking turns. What was measured before an error is given back with it.
func (e *experiment) measure(ctx context.Context, b *builder, o *options) (samples, error) {
	s := make(samples)
	failed := make(map[string]error)
	for range e.roundsOf(o) {
		for _, im := range e.implementations(b) {
			if failed[im.name] != nil {
				continue
			}
			run, err := e.once(ctx, b, im)
			if err != nil {
				failed[im.name] = fmt.Errorf("%s: %w", im.label(), err)
				continue
			}
			s.add(im.name, run)
		}
	}
	var all []error
	for _, err := range failed {
		all = append(all, err)
	}
	return s, errors.Join(all...)
}

func (e *experiment) roundsOf(o *options) int {
	if o.quick {
		return (e.rounds + 2) / 3
	}
	return e.rounds
}

func (e *experiment) implementations(b *builder) []*implementation {
	list := []*implementation{b.ours}
	if e.inside != nil {
		return list
	}
	if b.base != nil {
		list = append(list, b.base)
	}
	for _, v := range e.variants {
		im := *b.ours
		im.name, im.extra = v.name, append([]string{}, v.extra...)
		list = append(list, &im)
	}
	if e.ampi != nil && b.ampi != nil {
		im := *b.ampi
		im.extra = e.ampi
		list = append(list, &im)
	}
	if e.native {
		list = append(list, native())
	}
	if e.foreign != nil {
		list = append(list, b.others...)
	}
	return list
}

func (e *experiment) once(ctx context.Context, b *builder, im *implementation) (map[string]series, error) {
	if e.inside != nil {
		return e.inside(ctx, b)
	}
	program, err := b.program(e.program, im)
	if err != nil {
		return nil, err
	}
	if e.staged != nil {
		return e.staged(ctx, e, im, program)
	}
	args := e.args
	if im.foreign {
		args = e.foreign
	}
	extra := e.extra
	if im.extra != nil {
		extra = im.extra
	}
	f, err := launch(ctx, im.command(e.pes, e.ranks, extra, program, args), im.env)
	if err != nil {
		return nil, err
	}
	return e.collect(e, f)
}

// printed takes the samples that the program prints.
func printed(_ *experiment, f *finished) (map[string]series, error) { return parseSamples(f.stdout) }

// launched takes the time of the whole run, once every rank has said hello.
func launched(e *experiment, f *finished) (map[string]series, error) {
	if n := bytes.Count(f.stdout, []byte("Hello from rank")); n != e.ranks {
		return nil, fmt.Errorf("%d of %d ranks said hello", n, e.ranks)
	}
	return map[string]series{"wall": {f.wall.Seconds()}, "cpu": {f.cpu.Seconds()}}, nil
}

// remembered takes the memory of the median rank from the table of +stats.
func remembered(_ *experiment, f *finished) (map[string]series, error) {
	kib, err := parseMemory(f.stderr)
	return map[string]series{"memory": {kib}}, err
}
