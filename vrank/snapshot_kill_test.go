package vrank

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ampirun/isomalloc"
)

// write writes a byte to the begin and the end of a page of the region.
func (s *snapshotted) write(number int64, what byte) {
	s.t.Helper()
	for _, at := range []int64{number * page, (number+1)*page - 1} {
		if _, err := s.region.WriteAt([]byte{what}, at); err != nil {
			s.t.Fatal(err)
		}
	}
}

// followed has the snapshot follow, and looks whether it is as the region is.
func (s *snapshotted) followed() (copied uint64) {
	s.t.Helper()
	s.begin()
	copied, err := s.follow(s.whole(), isomalloc.Range{}, s.copy)
	if err != nil {
		s.t.Fatal(err)
	}
	if !bytes.Equal(s.content(s.region), s.content(s.Region)) {
		s.t.Fatal("the snapshot is not like the region")
	}
	return copied
}

// anew is the same region and snapshot as another worker finds them.
func (s *snapshotted) anew() *snapshotted {
	s.t.Helper()
	fd, err := unix.Dup(s.FD())
	if err != nil {
		s.t.Fatal(err)
	}
	other, err := newSnapshot(s.region, fd)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		other.from.Close()
		other.to.Close()
		other.Close()
	})
	return &snapshotted{s.t, s.region, other}
}

// TestSnapshotGoesBack: a page that gets back what it held some freezes ago is copied again, whoever does that.
func TestSnapshotGoesBack(t *testing.T) {
	s := newSnapshotted(t)
	for step, what := range []byte{1, 1, 1, 2, 1, 1, 2, 2, 2, 3, 1, 1} {
		s.write(5, what)
		s.write(6, 9)
		if step%4 == 3 {
			s = s.anew()
		}
		s.followed()
	}
}

// TestSnapshotKnowsPages: the snapshot of pages that stay as they are is not read. Changing it behind the back of all shows that: nobody notices it before
// the page of the region changes.
func TestSnapshotKnowsPages(t *testing.T) {
	s := newSnapshotted(t)
	s.write(5, 1)
	for range 2 { // copied, then found to be the same
		s.followed()
	}
	if _, err := s.WriteAt([]byte{7}, 5*page+100); err != nil {
		t.Fatal(err)
	}
	s = s.anew()
	s.begin()
	if copied, err := s.follow(s.whole(), isomalloc.Range{}, s.copy); err != nil || copied != 0 {
		t.Fatalf("%d bytes copied, %v", copied, err)
	}
	s.write(5, 2)
	if copied := s.followed(); copied != page {
		t.Errorf("%d bytes copied", copied)
	}
}

// TestSnapshotTorn: a worker has died when half of a page was copied. The region may get back what the page held before, and what was known of that
// must not count.
func TestSnapshotTorn(t *testing.T) {
	for _, now := range []byte{1, 2, 3} {
		s := newSnapshotted(t)
		s.write(5, 1)
		for range 3 {
			s.followed()
		}
		at := s.whole().Lo + 5*page
		s.Mark(at, at+page)
		if _, err := s.WriteAt([]byte{2}, 5*page); err != nil {
			t.Fatal(err)
		}
		s.write(5, now)
		other := s.anew()
		other.followed()
		other.followed()
	}
}

const copierEnv = "VRANK_TEST_COPIER"

// copyForever changes few pages among few contents, and has the snapshot follow, until it is killed.
func copyForever(t *testing.T) {
	region, err := isomalloc.Take(3, snapshottedConfig)
	if err != nil {
		t.Fatal(err)
	}
	made, err := newSnapshot(region, 4)
	if err != nil {
		t.Fatal(err)
	}
	s := &snapshotted{t, region, made}
	for {
		for range 200 {
			s.write(rand.Int64N(300), byte(rand.IntN(3)))
		}
		s.begin()
		if _, err := s.follow(s.whole(), isomalloc.Range{}, s.copy); err != nil {
			t.Fatal(err)
		}
		fmt.Println("copied")
	}
}

// TestSnapshotOfKilledWorkers kills processes that copy, at random moments. Whatever they leave, the next one makes the snapshot as the region is.
func TestSnapshotOfKilledWorkers(t *testing.T) {
	if os.Getenv(copierEnv) != "" {
		copyForever(t)
	}
	s := newSnapshotted(t)
	for range 25 {
		c := exec.Command(os.Args[0], "-test.run=^TestSnapshotOfKilledWorkers$")
		c.Env = append(os.Environ(), copierEnv+"=1")
		c.ExtraFiles = []*os.File{os.NewFile(uintptr(dup(t, s.region.FD())), "region"), os.NewFile(uintptr(dup(t, s.FD())), "snapshot")}
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		for _, f := range c.ExtraFiles {
			f.Close()
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil || line != "copied\n" {
			t.Errorf("the copier says %q, %v", line, err)
		}
		time.Sleep(time.Duration(rand.IntN(4000)) * time.Microsecond) // any moment is good
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait()
		s.anew().followed()
	}
}

func dup(t *testing.T, fd int) int {
	t.Helper()
	other, err := unix.Dup(fd)
	if err != nil {
		t.Fatal(err)
	}
	return other
}
