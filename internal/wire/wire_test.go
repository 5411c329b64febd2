package wire

import (
	"bytes"
	"errors"
	"io"
	"math"
	"reflect"
	"testing"
	"time"
)

type sample struct {
	Text  string `json:"text,omitempty"`
	List  []int
	When  time.Time
	Value float64
	Names map[string]string
	Inner *sample `json:",omitempty"`
	Later func()  `json:"-"`
}

// TestRoundTrip has every kind of value come back as it was: texts that are no UTF-8, times of less than a second, one value behind another.
func TestRoundTrip(t *testing.T) {
	when := time.Unix(1700000000, 123456789)
	want := []sample{
		{Text: "a\xff\xfe", List: []int{math.MinInt, 0, math.MaxInt}, When: when, Value: 0.1, Names: map[string]string{"\xff": "\x80"}, Inner: &sample{When: when}},
		{When: when},
	}
	var stream bytes.Buffer
	for i := range want {
		stream.Write(Frame(&want[i]))
	}
	for i := range want {
		var got sample
		if err := ReadFrame(&stream, 1<<10, &got); err != nil {
			t.Fatal(err)
		}
		if !got.When.Equal(when) {
			t.Errorf("%v, want %v", got.When, when)
		}
		got.When = when
		if got.Inner != nil {
			got.Inner.When = when
		}
		if !reflect.DeepEqual(got, want[i]) {
			t.Errorf("%+v, want %+v", got, want[i])
		}
	}
	if err := ReadFrame(&stream, 1<<10, new(sample)); !errors.Is(err, io.EOF) {
		t.Errorf("behind the last one: %v", err)
	}
}

// TestRefused has nothing taken that the encoder does not write.
func TestRefused(t *testing.T) {
	for name, data := range map[string]string{
		"cut off":       "\xa1\x64text",
		"tag":           "\xa1\x64text\xc1\x01",
		"no end":        "\xbf\x64text\x61x\xff",
		"twice":         "\xa2\x64text\x61x\x64text\x61y",
		"more behind":   "\xa0\xa0",
		"another kind":  "\x01",
		"2^40 elements": "\xa1\x64List\x9b\x00\x00\x01\x00\x00\x00\x00\x00",
	} {
		if err := Decode([]byte(data), new(sample)); err == nil {
			t.Errorf("%s: it is taken", name)
		}
	}
	other := Frame(map[string]int{"other": 1})
	if err := ReadStrict(bytes.NewReader(other), 1<<10, new(sample)); err == nil {
		t.Error("a field that there is not is taken")
	}
	if err := ReadFrame(bytes.NewReader(other), 1<<10, new(sample)); err != nil {
		t.Error(err)
	}
	if err := ReadFrame(bytes.NewReader(other[:len(other)-1]), 1<<10, new(sample)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a message that is cut off: %v", err)
	}
	if err := ReadFrame(bytes.NewReader([]byte{0xff, 0xff, 0xff, 0xff}), 1<<10, new(sample)); !errors.As(err, new(*TooLong)) {
		t.Errorf("a message of 4 GiB: %v", err)
	}
}
