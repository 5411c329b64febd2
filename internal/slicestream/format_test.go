package slicestream

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

var header = Header{Rank: 7, SliceSize: 64 * PageSize, Layout: 0x1234}

// text is a stream of two frames with one page and three pages; their bytes are left out, as Reader does not see them.
func text() []byte {
	b := AppendHeader(nil, header)
	b = AppendFrame(b, []Extent{{PageSize, PageSize}})
	b = AppendFrame(b, []Extent{{4 * PageSize, PageSize}, {62 * PageSize, 2 * PageSize}})
	return AppendEnd(b, Totals{3, 4 * PageSize})
}

// drain reads a stream whose pages' bytes are left out.
func drain(b []byte) (list []Extent, err error) {
	r, err := NewReader(bytes.NewReader(b))
	for err == nil {
		var more []Extent
		if more, err = r.Next(); err == nil {
			list = append(list, more...)
		}
	}
	if errors.Is(err, io.EOF) && r.Header == header {
		err = nil
	}
	return list, err
}

func TestRoundTrip(t *testing.T) {
	got, err := drain(text())
	want := []Extent{{PageSize, PageSize}, {4 * PageSize, PageSize}, {62 * PageSize, 2 * PageSize}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("read %v, %v; want %v", got, err, want)
	}
}

// TestEveryDamageIsSeen changes each byte of a stream, and cuts it off at each.
func TestEveryDamageIsSeen(t *testing.T) {
	whole := text()
	for i := range whole {
		bad := bytes.Clone(whole)
		bad[i] ^= 0x10
		if _, err := drain(bad); err == nil {
			t.Errorf("byte %d is changed, and nobody said so", i)
		}
		if _, err := drain(whole[:i]); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut off after %d bytes: %v, want that it ends unexpectedly", i, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	version := text()
	version[8] = 9
	framed := func(list ...Extent) []byte { return AppendFrame(AppendHeader(nil, header), list) }
	many := AppendHeader(nil, header)
	many = order.AppendUint64(many, MaxExtents+1)
	rows := []struct {
		what string
		text []byte
		says string
	}{
		{"magic", bytes.Repeat([]byte("no slice"), 8), "not the stream of a slice"},
		{"version", version, "has version 9, this ampirun reads 1"},
		{"half a page", framed(Extent{0, 100}), "not whole pages"},
		{"between pages", framed(Extent{100, PageSize}), "not whole pages"},
		{"nothing", framed(Extent{0, 0}), "not whole pages"},
		{"order", framed(Extent{4 * PageSize, PageSize}, Extent{PageSize, PageSize}), "do not ascend"},
		{"overlap", framed(Extent{0, 2 * PageSize}, Extent{PageSize, PageSize}), "do not ascend"},
		{"beyond", framed(Extent{63 * PageSize, 2 * PageSize}), "leaves rank 7's slice"},
		{"wrap", framed(Extent{PageSize, 1<<64 - PageSize}), "leaves rank 7's slice"},
		{"count", many, "more than 1024"},
		{"totals", AppendEnd(framed(Extent{0, PageSize}), Totals{1, 2 * PageSize}), "says at its end"},
	}
	for _, row := range rows {
		if _, err := drain(row.text); err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v, want %q", row.what, err, row.says)
		}
	}
}

// FuzzReader feeds the reader anything: what it gives out lies in the slice, ascends, and adds up.
func FuzzReader(f *testing.F) {
	f.Add(text())
	f.Add(AppendHeader(nil, header))
	f.Add(AppendFrame(AppendHeader(nil, Header{SliceSize: 1 << 63}), []Extent{{0, 1 << 62}, {1 << 62, 1 << 62}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := NewReader(bytes.NewReader(b))
		if (r == nil) == (err == nil) {
			t.Fatalf("reader %v, error %v", r, err)
		}
		if err != nil {
			return
		}
		var end, sum uint64
		for {
			list, err := r.Next()
			if (len(list) == 0) == (err == nil) {
				t.Fatalf("extents %v, error %v", list, err)
			}
			if err != nil {
				break
			}
			for _, e := range list {
				if e.Offset < end || e.Length == 0 || e.Offset+e.Length < e.Offset || e.Offset+e.Length > r.SliceSize {
					t.Fatalf("extent %+v after %#x in a slice of %#x", e, end, r.SliceSize)
				}
				end = e.Offset + e.Length
				sum += e.Length
			}
		}
		if sum != r.Totals().Bytes {
			t.Fatalf("extents of %d bytes, totals %+v", sum, r.Totals())
		}
	})
}
