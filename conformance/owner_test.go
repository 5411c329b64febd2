package conformance

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

const (
	stranger = 54321 // users that no system has
	intruder = 54322
)

// asRoot skips a test that needs several users.
func asRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can act as several users")
	}
}

// of has a command run as a user, in a directory that is made for it.
func of(t *testing.T, user int, cmd *exec.Cmd) (dir string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "conformance-user-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := errors.Join(os.Chown(dir, user, user), os.Chmod(tools, 0o711)); err != nil {
		t.Fatal(err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(user), Gid: uint32(user)}}
	cmd.Dir = dir
	cmd.Env = append(cmd.Env, "TMPDIR="+dir, "HOME="+dir)
	return dir
}

// saving is a program that saves itself in the middle.
func saving(t *testing.T) job {
	return job{program: program(t, ownDir+"/steady.c"), args: []string{"20", "call"}, workers: 2, ranks: 5}
}

// savedBy is a directory with a checkpoint that a user has made.
func savedBy(t *testing.T, user int) string {
	t.Helper()
	cmd, _ := saving(t).command(t)
	dir := of(t, user, cmd)
	cmd.Args = append([]string{cmd.Args[0], "+ckpt", "saves"}, cmd.Args[1:]...)
	finish(t, cmd).expectCode(t, 0)
	return filepath.Join(dir, "saves")
}

// restart goes on as a user.
func restart(t *testing.T, user int, flags ...string) result {
	t.Helper()
	cmd := exec.Command(tool("ampirun"), append([]string{"+restart"}, flags...)...)
	job{}.prepare(t, cmd)
	if user != 0 {
		of(t, user, cmd)
	}
	return finish(t, cmd)
}

// TestRestartForeign refuses another user's checkpoint unless that is said, also to root, and then writes nothing beside it.
func TestRestartForeign(t *testing.T) {
	t.Parallel()
	asRoot(t)
	dir := savedBy(t, stranger)
	r := restart(t, 0, dir)
	r.expectCode(t, 2)
	r.expectSays(t, "+restart "+dir+": it belongs to user 54321", "give +restart-foreign")
	before := listing(t, dir)
	r = restart(t, 0, dir, "+restart-foreign")
	r.expectCode(t, 0)
	r.expectSays(t, "PASS steady")
	if after := listing(t, dir); after != before {
		t.Errorf("what was there:\n%s\nwhat is:\n%s", before, after)
	}
	r = restart(t, intruder, dir, "+restart-foreign")
	r.expectCode(t, 2)
	r.expectSays(t, "permission denied")
	restart(t, stranger, dir).expectCode(t, 0)
}

func listing(t *testing.T, dir string) (list string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		list += fmt.Sprintf("%s %v %d\n", path, info.Mode(), info.Sys().(*syscall.Stat_t).Uid)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestSaveForeign makes no checkpoint in another user's directory.
func TestSaveForeign(t *testing.T) {
	t.Parallel()
	asRoot(t)
	j, dir := saving(t), t.TempDir()
	if err := os.Chown(dir, stranger, stranger); err != nil {
		t.Fatal(err)
	}
	j.flags = []string{"+ckpt", dir}
	r := j.run(t)
	r.expectCode(t, 2)
	r.expectSays(t, dir+" belongs to user 54321: name a directory of your own")
}

// TestForeignCheckpoint goes on from the newest checkpoint of the directory's owner, whatever somebody else has put beside it.
func TestForeignCheckpoint(t *testing.T) {
	t.Parallel()
	asRoot(t)
	dir := savedBy(t, stranger)
	other := savedBy(t, intruder)
	if err := os.Rename(filepath.Join(other, "000001"), filepath.Join(dir, "000009")); err != nil {
		t.Fatal(err)
	}
	r := restart(t, stranger, dir)
	r.expectCode(t, 0)
	r.expectSays(t, "checkpoint 9 is damaged: "+dir+"/000009: it belongs to user 54322 and not to user 54321; taking an older one", "PASS steady")
}

// TestForeignNotes believes no notes of opened files but the owner's: another user's would have files of the owner removed.
func TestForeignNotes(t *testing.T) {
	t.Parallel()
	asRoot(t)
	j := job{program: program(t, ownDir+"/steady.c"), args: []string{"60", "log"}, workers: 2, ranks: 5}
	l := j.begin(t, "+ckpt-every", "0.2")
	folder := filepath.Join(l.dir, "opened")
	l.await(func() bool { return l.newest() > 1 })
	l.kill()
	names, err := os.ReadDir(folder)
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	name, _, _ := strings.Cut(names[0].Name(), ".")
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	var st unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, victim, 0, unix.STATX_BASIC_STATS|unix.STATX_BTIME, &st); err != nil {
		t.Fatal(err)
	}
	note := fmt.Sprintf("1 %d:%d %d %d.%d -1 %s\x00", st.Dev_major, st.Dev_minor, st.Ino, st.Btime.Sec, st.Btime.Nsec, victim)
	path := filepath.Join(folder, name+".1000000.0")
	if err := errors.Join(os.WriteFile(path, []byte(note), 0o644), os.Chown(path, intruder, intruder)); err != nil {
		t.Fatal(err)
	}
	l.goOn()
	r := l.end()
	r.expectCode(t, 0)
	r.expectSays(t, "PASS steady", path+": it belongs to user 54322 and not to root: what it says of opened files is not believed")
	if text, err := os.ReadFile(victim); err != nil || string(text) != "mine" {
		t.Errorf("a file of the owner has become %q (%v)", text, err)
	}
	if err := os.Chown(path, 0, 0); err != nil { // the same note of the owner is believed
		t.Fatal(err)
	}
	l.goOn()
	l.end().expectCode(t, 0)
	if _, err := os.Stat(victim); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the note was no good: %v", err)
	}
}

// TestLockLink follows no link to where the lock should be.
func TestLockLink(t *testing.T) {
	t.Parallel()
	j, dir := saving(t), t.TempDir()
	victim := filepath.Join(t.TempDir(), "victim")
	if err := errors.Join(os.WriteFile(victim, []byte("mine"), 0o600), os.Symlink(victim, filepath.Join(dir, "lock"))); err != nil {
		t.Fatal(err)
	}
	j.flags = []string{"+ckpt", dir}
	r := j.run(t)
	r.expectCode(t, 2)
	r.expectSays(t, dir+"/lock: it is a symbolic link")
	if text, err := os.ReadFile(victim); err != nil || string(text) != "mine" {
		t.Errorf("what the link stands for has become %q (%v)", text, err)
	}
}

// TestCheckpointModes: nobody else gets into a directory of checkpoints, whatever the umask is.
func TestCheckpointModes(t *testing.T) {
	t.Parallel()
	for _, mask := range []string{"000", "777"} {
		t.Run(mask, func(t *testing.T) {
			t.Parallel()
			j, dir := saving(t), filepath.Join(t.TempDir(), "above", "saves")
			j.flags = []string{"+ckpt", dir, "+ckpt-embed"}
			cmd, mark := j.command(t)
			cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-c", "umask " + mask + `; exec "$@"`, "sh"}, cmd.Args...)
			finish(t, cmd).expectCode(t, 0)
			checkGone(t, mark, cmd.Args)
			err := filepath.WalkDir(filepath.Dir(dir), func(path string, e fs.DirEntry, err error) error {
				if err != nil {
					return err
				}
				info, err := e.Info()
				want := fs.FileMode(0o600)
				if e.IsDir() || strings.HasSuffix(path, ".image") {
					want = 0o700
				}
				if err == nil && info.Mode().Perm() != want {
					t.Errorf("%s has mode %o, want %o", path, info.Mode().Perm(), want)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// TestOutputs: timelines and traces are private, and go through no link that others may have made.
func TestOutputs(t *testing.T) {
	t.Parallel()
	for _, option := range []string{"+trace", "+lb-record"} {
		t.Run(option, func(t *testing.T) {
			t.Parallel()
			j, top := saving(t), t.TempDir()
			j.args = []string{"2"}
			out, sticky, victim := filepath.Join(top, "out"), filepath.Join(top, "sticky"), filepath.Join(top, "victim")
			err := errors.Join(os.Mkdir(sticky, 0o700), os.Chmod(sticky, 0o777|os.ModeSticky), os.WriteFile(victim, []byte("mine"), 0o600),
				os.Symlink(victim, filepath.Join(sticky, "link")))
			if err != nil {
				t.Fatal(err)
			}
			j.flags = []string{option, out}
			j.run(t).expectCode(t, 0)
			if info, err := os.Stat(out); err != nil || info.Mode().Perm()&^0o600 != 0 || info.Size() == 0 {
				t.Errorf("%v, %v", info, err)
			}
			j.flags[1] = filepath.Join(sticky, "link")
			r := j.run(t)
			r.expectCode(t, 2)
			r.expectSays(t, option+": open "+j.flags[1]+": a symbolic link in a sticky directory is not followed")
			if text, err := os.ReadFile(victim); err != nil || string(text) != "mine" {
				t.Errorf("what the link stands for has become %.20q (%v)", text, err)
			}
		})
	}
}
