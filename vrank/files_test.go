package vrank

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestIsSemaphore asks eventfds of both kinds what they are; their counts stay.
func TestIsSemaphore(t *testing.T) {
	for _, count := range []uint64{0, 1, 2, 77} {
		for flag, want := range map[int]bool{0: false, unix.EFD_SEMAPHORE: true} {
			fd, err := unix.Eventfd(0, flag)
			if err != nil {
				t.Fatal(err)
			}
			defer unix.Close(fd)
			if err := addEvent(fd, count); err != nil {
				t.Fatal(err)
			}
			got, err := isSemaphore(fd, count)
			if err != nil || got != want {
				t.Errorf("count %d, flag %d: %v, %v", count, flag, got, err)
			}
			f := File{Number: fd}
			if err := f.keepEvent(); err != nil || f.Counter.Count != count || f.Counter.Semaphore != want {
				t.Errorf("count %d, flag %d: %+v, %v", count, flag, f.Counter, err)
			}
		}
	}
}

// TestNameNow finds a file by another name that it was given, in the same directory.
func TestNameNow(t *testing.T) {
	dir := t.TempDir()
	file, err := os.Create(dir + "/first")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := os.Link(dir+"/first", dir+"/second"); err != nil {
		t.Fatal(err)
	}
	os.Remove(dir + "/first")
	f, err := describeFile(int(file.Fd()))
	if err != nil || f.Path != dir+"/second" || f.Kind != FileRegular {
		t.Errorf("%+v, %v", f, err)
	}
	if err := os.Mkdir(dir+"/elsewhere", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir+"/second", dir+"/elsewhere/third"); err != nil {
		t.Fatal(err)
	}
	if f, err = describeFile(int(file.Fd())); err == nil {
		t.Errorf("%+v: where it is now nobody can know", f)
	}
}
