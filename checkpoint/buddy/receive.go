package buddy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"ampirun/checkpoint"
)

const (
	maxManifest = 1 << 30 // bytes
	maxKeep     = 1 << 20
)

// Receive keeps copies of a job's checkpoints in a directory, which it has for itself meanwhile, until in ends or ctx is done. An error was
// told to the sender as well, as far as that is still there.
func Receive(ctx context.Context, dir string, in io.Reader, out io.Writer) error {
	l := newLink(in, out)
	defer l.fail(io.EOF)
	stop := context.AfterFunc(ctx, func() { l.fail(context.Cause(ctx)) })
	defer stop()
	r := &receiver{l: l}
	err := r.serve(dir)
	if r.store != nil {
		r.store.Close()
	}
	switch {
	case err == io.EOF:
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("what has come ends in the middle of a checkpoint, which is removed")
	case !errors.Is(err, errSilent):
		_ = l.send(&message{Kind: kindFailed, Text: err.Error()}) // the sender may have gone
	}
	return err
}

// receiver is one call of Receive.
type receiver struct {
	l     *link
	store *checkpoint.Store
}

// serve takes one checkpoint after the other; io.EOF is the good end.
func (r *receiver) serve(dir string) error {
	if err := r.l.greet(pulsePeriod); err != nil {
		return err
	}
	hello, err := r.l.expect(kindHello)
	if err != nil {
		return err
	}
	if hello.Keep < 0 || hello.Keep > maxKeep {
		return fmt.Errorf("%d checkpoints to keep", hello.Keep)
	}
	if r.store, err = checkpoint.Open(dir, checkpoint.Options{Keep: hello.Keep, Owner: hello.Owner}); err != nil {
		return err
	}
	numbers, err := r.store.Numbers()
	if err != nil {
		return err
	}
	if err := r.l.send(&message{Kind: kindReady, Number: slices.Max(append(numbers, 0))}); err != nil {
		return err
	}
	for {
		offer, err := r.l.expect(kindOffer)
		if err != nil {
			return err
		}
		answer, err := r.take(offer.Size)
		if err == nil {
			err = r.l.send(answer)
		}
		if err != nil {
			return err
		}
	}
}

// take receives a checkpoint, and gives the answer.
func (r *receiver) take(manifest uint64) (*message, error) {
	if manifest > maxManifest {
		return nil, fmt.Errorf("a manifest of %d bytes", manifest)
	}
	data, err := io.ReadAll(&body{l: r.l, left: manifest})
	if err != nil {
		return nil, err
	}
	a, err := r.store.Arrive(data)
	if older := new(checkpoint.NotNewer); errors.As(err, &older) {
		return &message{Kind: kindNewer, Number: older.Newest}, nil
	}
	if err != nil {
		return nil, err
	}
	if err := r.takeFiles(a); err != nil {
		a.Abandon()
		return nil, err
	}
	report, err := a.Finish()
	if err != nil {
		return nil, err
	}
	return &message{Kind: kindDone, Number: report.Generation}, nil
}

func (r *receiver) takeFiles(a *checkpoint.Arrival) error {
	want := message{Kind: kindWant}
	for _, f := range a.Missing() {
		want.Names = append(want.Names, f.Name)
	}
	if err := r.l.send(&want); err != nil {
		return err
	}
	for _, f := range a.Missing() {
		if err := a.Write(f, &body{l: r.l, left: f.Size}); err != nil {
			return err
		}
	}
	return nil
}
