package vrank

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ampirun/privatize"
)

const (
	trialName  = "ampirun-trial" // argv[0] of the process
	trialTime  = 20 * time.Second
	trialLoads = "loading" // its first step, after which the C library's functions are called
)

// TryLibc makes sure that ranks can have the C library of this process: a child tries one copy of it. What came out well is kept in the user's
// cache, for this C library, its loader, this kernel and this ampirun, and is not tried again. It is a *privatize.Refusal that names the
// step that went wrong.
func TryLibc() error {
	id, err := trialID()
	if err != nil {
		return err
	}
	dir := trialDirectory()
	if isTried(dir, id) {
		return nil
	}
	if err := try(); err != nil {
		return err
	}
	noteTried(dir, id)
	return nil
}

// trialID is what the result depends on.
func trialID() (string, error) {
	libc, err := privatize.LibcID()
	if err != nil {
		return "", err
	}
	var kernel unix.Utsname
	if err := unix.Uname(&kernel); err != nil {
		return "", fmt.Errorf("ask for the kernel's version: %w", err)
	}
	own, err := os.Stat("/proc/self/exe")
	if err != nil {
		return "", fmt.Errorf("look at ampirun's own file: %w", err)
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s %s %s %d %d", libc, kernel.Release[:], kernel.Version[:], own.Size(), own.ModTime().UnixNano())
	return hex.EncodeToString(h.Sum(nil)[:12]), nil
}

// try runs the trial in a child. The job's reaper may take its exit status away, so that only what it has written counts.
func try() error {
	var out, limit bytes.Buffer
	cmd := exec.Command("/proc/self/exe")
	cmd.Args, cmd.Stdout, cmd.Stderr = []string{trialName}, &out, &limit
	cmd.Env = []string{"LD_LIBRARY_PATH=" + os.Getenv("LD_LIBRARY_PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("try the C library in a process of its own: %w", err)
	}
	late := time.AfterFunc(trialTime, func() { cmd.Process.Kill() })
	err := cmd.Wait()
	if !late.Stop() {
		err = fmt.Errorf("it took more than %s", trialTime)
	}
	if _, why, met := strings.Cut(limit.String(), trialName+": "); met {
		return fmt.Errorf("try the C library in a process of its own: %s", strings.TrimSpace(why))
	}
	return judge(out.String(), err)
}

// judge reads what a trial has said: the steps that it began, then ok, or bad and why.
func judge(said string, end error) error {
	lines := strings.Split(strings.TrimSuffix(said, "\n"), "\n")
	last := lines[len(lines)-1]
	if last == "ok" {
		return nil
	}
	step, why := last, "it ended there"
	if end != nil {
		why += ": " + end.Error()
	}
	if n := len(lines); n >= 3 && lines[n-2] == "bad" {
		step, why = lines[n-3], last
	}
	if step == trialLoads {
		return privatize.RefuseLibc(why)
	}
	return privatize.RefuseLibc(fmt.Sprintf("failed its trial at the step %q: %s", step, why))
}

// trialDirectory is where results are kept, "" if there is no safe place: a directory of this user that nobody else can look into.
func trialDirectory() string {
	parent, err := os.UserCacheDir()
	name := "ampirun-trials"
	if err != nil || os.MkdirAll(parent, 0o700) != nil {
		parent, name = os.TempDir(), fmt.Sprintf("ampirun-trials-%d", os.Getuid())
	}
	dir := filepath.Join(parent, name)
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return ""
	}
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() || !isPrivate(info) {
		return ""
	}
	return dir
}

// isPrivate tells whether something is this user's and closed to all others.
func isPrivate(info os.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Getuid() && info.Mode().Perm()&0o077 == 0
}

func isTried(dir, id string) bool {
	if dir == "" {
		return false
	}
	info, err := os.Lstat(filepath.Join(dir, id))
	return err == nil && info.Mode().IsRegular() && isPrivate(info)
}

// noteTried may fail: then the next job tries again.
func noteTried(dir, id string) {
	if dir == "" {
		return
	}
	f, err := os.OpenFile(filepath.Join(dir, id), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		f.Close()
	}
}
