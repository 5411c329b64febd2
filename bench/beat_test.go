package main

import (
	"net"
	"path/filepath"
	"testing"
)

// TestBeatingFindsGaps tells of rounds as the program does, of three workers, and something else.
func TestBeatingFindsGaps(t *testing.T) {
	b := &beating{gaps: make(chan gap, 10), over: make(chan error, 1)}
	address := &net.UnixAddr{Name: filepath.Join(t.TempDir(), "socket"), Net: "unixgram"}
	var err error
	if b.conn, err = net.ListenUnixgram("unixgram", address); err != nil {
		t.Fatal(err)
	}
	defer b.conn.Close()
	to, err := net.DialUnix("unixgram", nil, address)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	begun := make(chan struct{})
	go b.listen(begun)
	for _, text := range []string{"7 10.5", "7 11.5", "8 13.25", "", "x 14", "8 15", "9 16"} {
		if _, err := to.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	<-begun
	for _, want := range []gap{{11.5, 13.25}, {15, 16}} {
		if got, err := b.gap(); got != want || err != nil {
			t.Errorf("%v, %v, want %v", got, err, want)
		}
	}
	if len(b.gaps) != 0 || b.pid.Load() != 9 {
		t.Errorf("%d more gaps, the last round was worker %d's", len(b.gaps), b.pid.Load())
	}
}
