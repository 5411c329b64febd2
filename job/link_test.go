package job

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// manyFiles opens so many files, one after the other.
func manyFiles(t *testing.T, n int) (fds []int) {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		fd, err := unix.Open(filepath.Join(dir, strconv.Itoa(i)), unix.O_CREAT|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		fds = append(fds, fd)
	}
	t.Cleanup(func() { closeAll(fds) })
	return fds
}

// expectFiles checks that descriptors that came are the first of those that were sent, and closes them.
func expectFiles(t *testing.T, came, sent []int) {
	t.Helper()
	for i, fd := range came {
		var a, b unix.Stat_t
		if unix.Fstat(fd, &a) != nil || unix.Fstat(sent[i], &b) != nil || a.Ino != b.Ino {
			t.Fatalf("descriptor %d of %d is another one", i, len(came))
		}
	}
	closeAll(came)
}

// TestLinkRights has each message bring its own descriptors, however many they are.
func TestLinkRights(t *testing.T) {
	ours, theirs := linkPair(t)
	defer theirs.close()
	fds := manyFiles(t, maxRights)
	counts := []int{maxRights, 0, 2, maxRights, 1, 0}
	sent := make(chan error, 1)
	go func() {
		for i, n := range counts {
			if err := ours.send(message{Kind: kindTrace, Number: i}, fds[:n]...); err != nil {
				sent <- err
				return
			}
		}
		ours.close()
		sent <- nil
	}()
	for i, n := range counts {
		m, err := theirs.receive()
		if err != nil || m.Number != i || len(m.fds) != n {
			t.Fatalf("message %d: number %d, %d descriptors, %v; want %d", i, m.Number, len(m.fds), err, n)
		}
		expectFiles(t, m.fds, fds)
	}
	if _, err := theirs.receive(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	if err := <-sent; err != nil {
		t.Error(err)
	}
}

// TestLinkFewRights takes as many descriptors as there are numbers, and the next message with all of its own.
func TestLinkFewRights(t *testing.T) {
	ours, theirs := linkPair(t)
	defer ours.close()
	defer theirs.close()
	fds := manyFiles(t, 100)
	for i, n := range []int{100, 100, 1} {
		if err := ours.send(message{Kind: kindTrace, Number: i}, fds[:n]...); err != nil {
			t.Fatal(err)
		}
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	least := firstFree(t)
	for i, room := range []uint64{10, 0} {
		few := unix.Rlimit{Cur: least + room, Max: limit.Max}
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &few); err != nil {
			t.Fatal(err)
		}
		m, err := theirs.receive()
		unix.Setrlimit(unix.RLIMIT_NOFILE, &limit)
		if err != nil || m.Number != i || m.Rights != 100 || uint64(len(m.fds)) > room || room > 0 && len(m.fds) == 0 {
			t.Errorf("message %d of %d descriptors with room for %d: %d came, %v", m.Number, m.Rights, room, len(m.fds), err)
		}
		expectFiles(t, m.fds, fds)
	}
	m, err := theirs.receive()
	if err != nil || m.Number != 2 || len(m.fds) != 1 {
		t.Fatalf("the next message: number %d, %d descriptors, %v", m.Number, len(m.fds), err)
	}
	expectFiles(t, m.fds, fds)
}

// firstFree is the lowest number that no descriptor has.
func firstFree(t *testing.T) uint64 {
	t.Helper()
	file, err := os.Open("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	return uint64(file.Fd())
}
