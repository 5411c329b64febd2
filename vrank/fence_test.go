package vrank

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ampirun/isomalloc"
)

// TestFence has a thread touch a page that is missing behind a fence, and looks what it finds there.
func TestFence(t *testing.T) {
	if err := CannotCopy(); err != nil {
		t.Skipf("+migrate copy %v", err)
	}
	const base, size = uintptr(0x300000000000), 16 * page
	region, err := isomalloc.Create(isomalloc.Config{Base: uint64(base), SliceSize: size, Slices: 1})
	if err == nil {
		err = region.Map()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer region.Close()
	f, err := newFence()
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(int(f))
	if err := f.raise(region.Slice(0)); err != nil {
		t.Fatal(err)
	}

	found, thread := make(chan byte), atomic.Int32{}
	go func() {
		runtime.LockOSThread()
		thread.Store(int32(unix.Gettid()))
		found <- *(*byte)(at(base + 5*page))
	}()
	isWaiting := func() bool {
		wchan, _ := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/wchan", thread.Load()))
		return strings.Contains(string(wchan), "userfault")
	}
	for deadline := time.Now().Add(time.Minute); !isWaiting(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the thread does not wait at the fence")
		}
	}
	if _, err := unix.Pwrite(region.FD(), []byte{42}, 5*page); err != nil {
		t.Fatal(err)
	}
	if err := f.lower(region.Slice(0)); err != nil {
		t.Fatal(err)
	}
	if got := <-found; got != 42 {
		t.Errorf("the thread has found %d", got)
	}
}
