package conformance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"ampirun/checkpoint"
)

// localShell is a remote shell that stays here: as ssh does, it has a shell read the words.
const localShell = `exec sh -c "$*"`

// remoteShells are the values of AMPI_RSH of tests' jobs, by the name of the test.
var remoteShells sync.Map

// remoteShell makes a script the remote shell of the test's jobs. In it, $host is the other node's name, and the arguments are the command there.
func remoteShell(t *testing.T, script string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rsh")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nhost=$1\nshift\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	remoteShells.Store(t.Name(), path)
}

// elsewhere is a directory of the other node. The name needs care with shells.
func elsewhere(t *testing.T) (dir string) {
	t.Helper()
	return filepath.Join(t.TempDir(), "it's elsewhere")
}

// newestIn is the number of the last complete checkpoint in a directory; 0 when there is none.
func newestIn(dir string) uint64 { return (&life{dir: dir}).newest() }

// receivers are the processes of a job that receive copies.
func receivers(mark string) (found []process) {
	for _, p := range processes(mark) {
		if strings.Contains(p.command, " ckpt receive ") {
			found = append(found, p)
		}
	}
	return found
}

// steady is a job that is saved often, and what it prints.
func steady(t *testing.T, rounds int) (j job, want result) {
	t.Helper()
	j = job{program: program(t, ownDir+"/steady.c"), args: []string{fmt.Sprint(rounds)}, workers: 2, ranks: 5}
	want = j.run(t)
	want.expectCode(t, 0)
	return j, want
}

// endless is a job that goes on until it is ended.
func endless(t *testing.T) job {
	t.Helper()
	return job{program: program(t, ownDir+"/steady.c"), args: []string{"1000000"}, workers: 2, ranks: 5}
}

// TestBuddy loses a node with all that the job had there, its program too, and goes on from the copy on another one. That one is lost as well.
func TestBuddy(t *testing.T) {
	t.Parallel()
	remoteShell(t, localShell)
	path, files := kept(t)
	j := job{program: path, args: []string{"150"}, workers: 2, ranks: 5}
	want := j.run(t)
	want.expectCode(t, 0)
	first, second := elsewhere(t), elsewhere(t)
	l := j.begin(t, "+ckpt-every", often, "+ckpt-embed", "+ckpt-keep", "1", "+ckpt-buddy", "node2:"+first).opened()
	lose := func(copies string) {
		t.Helper()
		if !l.await(func() bool { return newestIn(copies) > l.seen }) {
			t.Fatalf("no copy: %s", l.err.String())
		}
		l.kill()
		for _, gone := range append(files, l.dir) {
			spoil(t, gone, false)
		}
		l.dir = copies
	}
	lose(first)
	l.goOn("+p", "1", "+ckpt-buddy", "node3:"+second)
	lose(second)
	l.goOn("+p", "3", "+ckpt-buddy", "none")
	r := l.end()
	r.expectCode(t, 0)
	if strings.Contains(r.stdout, "round 0 ") || r.stdout == "" || !strings.HasSuffix(want.stdout, r.stdout) || strings.Contains(r.stderr, "+ckpt-buddy") {
		t.Errorf("%s: prints something else than the end of %s\n%s", r.what, want.stdout, r.output())
	}
}

// TestBuddyIsKept: a job that goes on where it was goes on to send copies; one that goes on from the copies does not send them to themselves.
func TestBuddyIsKept(t *testing.T) {
	t.Parallel()
	remoteShell(t, localShell)
	j, want := steady(t, 150)
	copies := elsewhere(t)
	l := j.begin(t, "+ckpt-every", often, "+ckpt-buddy", "node2:"+copies)
	if !l.await(func() bool { return newestIn(copies) > 0 }) {
		t.Fatalf("no copy: %s", l.err.String())
	}
	l.kill()
	l.goOn()
	if !l.await(func() bool { return newestIn(copies) > l.seen }) {
		t.Fatalf("no copy: %s", l.err.String())
	}
	l.kill()
	l.dir = copies
	l.goOn()
	r := l.end()
	r.expectCode(t, 0)
	r.expectSays(t, "ampirun: +ckpt-buddy node2:"+copies+": ", "the directory is in use by job ")
	if !strings.HasSuffix(want.stdout, r.stdout) || strings.Count(r.stderr, "+ckpt-buddy") != 1 {
		t.Errorf("%s: prints something else than the end of %s\n%s", r.what, want.stdout, r.output())
	}
}

// TestBuddyKilled kills the receiver and what it runs in, several times, at any moment: others take its place, and the job does not notice.
func TestBuddyKilled(t *testing.T) {
	t.Parallel()
	remoteShell(t, localShell)
	copies := elsewhere(t)
	l := endless(t).begin(t, "+ckpt-every", often, "+ckpt-buddy", "node2:"+copies)
	for range 4 {
		before := newestIn(copies)
		if !l.await(func() bool { return newestIn(copies) > before+1 }) {
			t.Fatalf("no copy: %s", l.err.String())
		}
		for _, p := range receivers(l.mark) {
			syscall.Kill(p.pid, syscall.SIGKILL)
		}
	}
	l.kill()
	isWhole(t, copies)
}

// isWhole checks all checkpoints of a directory.
func isWhole(t *testing.T, dir string) {
	t.Helper()
	runTool(t, "ampirun", "ckpt", "verify", dir).expectCode(t, 0)
}

// TestBuddyFails says once what is wrong on the other node, and goes on.
func TestBuddyFails(t *testing.T) {
	for what, row := range map[string][2]string{
		"unreachable": {`echo "ssh: no route to $host" >&2; exit 255`, ": ssh: no route to node2; the job goes on"},
		"no ampirun":  {`exec sh -c "/nowhere/$*"`, "not found; the job goes on"},
		"chatty":      {`echo Welcome; ` + localShell, `: it begins with "Welcome\n" instead of ampirun's greeting (login scripts must be silent); the job goes on`},
		"no place":    {`exec sh -c "${*%/*}/file/below'"`, ": not a directory; the job goes on"},
		"full disk":   {`exec unshare -m sh -c 'mount -t tmpfs -o size=16k none "${0%/*}" && exec sh -c "$1"' "$DIR" "$*"`, "no space left on device; the job goes on"},
	} {
		t.Run(what, func(t *testing.T) {
			if what == "full disk" && exec.Command("unshare", "-m", "true").Run() != nil {
				t.Skip("mounting a small file system needs root")
			}
			copies := elsewhere(t)
			if err := os.WriteFile(filepath.Join(filepath.Dir(copies), "file"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			remoteShell(t, row[0])
			t.Setenv("DIR", copies)
			l := endless(t).begin(t, "+ckpt-every", often, "+ckpt-buddy", "node2:"+copies)
			complains(t, l, "ampirun: +ckpt-buddy node2:"+copies+": ", row[1])
		})
	}
}

// complains waits for a line with these words, and fails if another one follows while the job is saved several times more.
func complains(t *testing.T, l *life, words ...string) {
	t.Helper()
	l.await(func() bool { return strings.Contains(l.err.String(), "\n") })
	before := l.newest()
	if !l.await(func() bool { return l.newest() > before+3 }) {
		t.Error("the job was not saved any more")
	}
	said := l.err.String()
	for _, w := range words {
		if !strings.Contains(said, w) || strings.Count(said, "\n") != 1 {
			t.Errorf("want one line with %q: %s", w, said)
		}
	}
	l.kill()
}

// TestBuddyTaken refuses the copies of a second job in the same directory.
func TestBuddyTaken(t *testing.T) {
	t.Parallel()
	remoteShell(t, localShell)
	copies := elsewhere(t)
	first := endless(t).begin(t, "+ckpt-every", often, "+ckpt-buddy", "node2:"+copies)
	if !first.await(func() bool { return newestIn(copies) > 0 }) {
		t.Fatalf("no copy: %s", first.err.String())
	}
	second := endless(t).begin(t, "+ckpt-every", often, "+ckpt-buddy", "node2:"+copies)
	complains(t, second, fmt.Sprintf("the directory is in use by job %d (steady) on ", first.cmd.Process.Pid))
	first.kill()
	isWhole(t, copies)
}

// gate is a remote shell that waits until a file is there.
func gate(t *testing.T) (open func()) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "open")
	remoteShell(t, "until [ -e '"+file+"' ]; do sleep 0.01; done\n"+localShell)
	return func() {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestBuddySlow: who takes long does not keep the job from being saved here. Then the newest checkpoint is sent.
func TestBuddySlow(t *testing.T) {
	t.Parallel()
	open := gate(t)
	copies := elsewhere(t)
	l := endless(t).begin(t, "+ckpt-every", often, "+stats", "+ckpt-buddy", "node2:"+copies)
	if !l.await(func() bool { return l.newest() > 3 }) {
		t.Fatalf("no checkpoint: %s", l.err.String())
	}
	open()
	if !l.await(func() bool { return newestIn(copies) > 3 }) {
		t.Fatalf("no copy: %s", l.err.String())
	}
	l.cmd.Process.Signal(syscall.SIGTERM)
	r := l.end()
	r.expectCode(t, 143)
	rows := tableOfCopies(r.stderr)
	if len(rows) < 4 || rows[1] != "-" || rows[2] != "-" {
		t.Errorf("%s: %v\n%s", r.what, rows, r.output())
	}
	copied := 0
	for _, row := range rows {
		if row != "-" {
			copied++
		}
	}
	if copied == 0 {
		t.Errorf("%s: no copy in the table\n%s", r.what, r.output())
	}
}

// tableOfCopies is what +stats says of when checkpoints were safe on the other node, by number.
func tableOfCopies(stats string) map[int]string {
	rows := map[int]string{}
	_, table, _ := strings.Cut(stats, "on buddy/ms  sent/MiB\n")
	for line := range strings.Lines(table) {
		var number int
		if fields := strings.Fields(line); len(fields) == 7 {
			fmt.Sscan(fields[0], &number)
			rows[number] = fields[5]
		}
	}
	return rows
}

// TestBuddyOfAnother finds the copies of an earlier job. They stay until those of this one are there, whose numbers are higher; what was saved
// before that was known is saved again.
func TestBuddyOfAnother(t *testing.T) {
	t.Parallel()
	open := gate(t)
	copies := elsewhere(t)
	first := endless(t).begin(t, "+ckpt-every", often, "+ckpt-buddy", "node2:"+copies)
	open()
	if !first.await(func() bool { return newestIn(copies) > 2 }) {
		t.Fatalf("no copy: %s", first.err.String())
	}
	first.kill()
	before := newestIn(copies)
	open = gate(t)
	l := endless(t).begin(t, "+ckpt-buddy", "node2:"+copies)
	l.await(func() bool { return strings.Contains(l.out.String(), "round 1\n") })
	l.cmd.Process.Signal(syscall.SIGUSR2)
	l.await(func() bool { return l.newest() == 1 })
	open()
	l.await(func() bool { return newestIn(copies) == before+1 })
	for _, n := range []uint64{before, before + 1} {
		if _, err := mustView(t, copies).Generation(n); err != nil {
			t.Error(err)
		}
	}
	l.kill()
	isWhole(t, copies)
}

// TestBuddyAtTheEnd: a job that SIGTERM ends has its last checkpoint on the other node when it has ended, and says what it waits for.
func TestBuddyAtTheEnd(t *testing.T) {
	t.Parallel()
	open := gate(t)
	copies := elsewhere(t)
	l := endless(t).begin(t, "+ckpt-on-term", "+ckpt-buddy", "node2:"+copies)
	l.await(func() bool { return strings.Contains(l.out.String(), "round 3\n") })
	l.cmd.Process.Signal(syscall.SIGTERM)
	l.await(func() bool {
		return strings.Contains(l.err.String(), "waiting until the last checkpoint is on node2:"+copies)
	})
	open()
	r := l.end()
	r.expectCode(t, 143)
	if n := l.newest(); n != 1 || newestIn(copies) != 1 {
		t.Errorf("%s: checkpoint %d, copy %d\n%s", r.what, n, newestIn(copies), r.output())
	}
	isWhole(t, copies)
}

// TestBuddyNotAwaited: a second signal does not wait for the other node, and neither does a job that has ended well.
func TestBuddyNotAwaited(t *testing.T) {
	t.Parallel()
	gate(t)
	j, want := steady(t, 20)
	copies := elsewhere(t)
	r := j.begin(t, "+ckpt-every", often, "+ckpt-buddy", "node2:"+copies).end()
	r.expectCode(t, 0)
	if r.stdout != want.stdout || r.stderr != "" {
		t.Errorf("%s: prints something else than %s\n%s", r.what, want.stdout, r.output())
	}
	l := endless(t).begin(t, "+ckpt-every", often, "+ckpt-buddy", "node2:"+copies)
	if !l.saved() {
		t.Fatalf("no checkpoint: %s", l.err.String())
	}
	l.cmd.Process.Signal(syscall.SIGTERM)
	l.await(func() bool { return strings.Contains(l.err.String(), "waiting until") })
	l.cmd.Process.Signal(syscall.SIGTERM)
	l.end().expectCode(t, 143)
}

// TestBuddyOutlivesWorkers: the link stays when workers are replaced, and with them all that ranks have started.
func TestBuddyOutlivesWorkers(t *testing.T) {
	t.Parallel()
	remoteShell(t, localShell)
	copies := elsewhere(t)
	l := endless(t).begin(t, "+ckpt-every", often, "+ft", "disk", "+ckpt-buddy", "node2:"+copies)
	if !l.await(func() bool { return newestIn(copies) > 0 }) {
		t.Fatalf("no copy: %s", l.err.String())
	}
	before := receivers(l.mark)
	syscall.Kill(workers(l.mark)[0].pid, syscall.SIGKILL)
	l.await(func() bool { return strings.Contains(l.err.String(), "going on from") })
	seen := newestIn(copies)
	if !l.await(func() bool { return newestIn(copies) > seen+1 }) {
		t.Fatalf("no copy: %s", l.err.String())
	}
	if after := receivers(l.mark); fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("the receivers were %v and are %v", before, after)
	}
	if said := l.err.String(); strings.Contains(said, "+ckpt-buddy") {
		t.Error(said)
	}
	l.kill()
}

// TestBuddyStatus shows what the other node has.
func TestBuddyStatus(t *testing.T) {
	t.Parallel()
	remoteShell(t, localShell)
	copies := elsewhere(t)
	l := endless(t).begin(t, "+ckpt-buddy", "node2:"+copies)
	l.await(func() bool { return strings.Contains(l.out.String(), "round 1\n") })
	pid := fmt.Sprint(l.cmd.Process.Pid)
	runTool(t, "ampirun", "ctl", pid, "checkpoint").expectCode(t, 0)
	l.await(func() bool { return newestIn(copies) > 0 })
	l.await(func() bool {
		r := runTool(t, "ampirun", "ctl", pid, "status")
		return strings.Contains(r.stdout, "; copies on node2:"+copies+": 1 made, number 1 ")
	})
	if g, err := mustView(t, copies).Latest(); err != nil || g.Number != 1 {
		t.Error(g, err)
	}
	l.kill()
}

func mustView(t *testing.T, dir string) *checkpoint.Store {
	t.Helper()
	s, err := checkpoint.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestBuddyRefused says what is wrong with what was typed.
func TestBuddyRefused(t *testing.T) {
	t.Parallel()
	path := program(t, ownDir+"/steady.c")
	for want, flags := range map[string][]string{
		"+ckpt-buddy: name a directory here, too, with +ckpt DIR":                       {"+ckpt-buddy", "a:/b", "+ft", "memory"},
		"+ckpt-buddy a: write HOST:DIR":                                                 {"+ckpt", "x", "+ckpt-buddy", "a"},
		"+ckpt-buddy a:b: the directory on a begins with a slash: HOST:/DIR":            {"+ckpt", "x", "+ckpt-buddy", "a:b"},
		`+ckpt-buddy -oProxyCommand=x:/b: "-oProxyCommand=x" is not the name of a host`: {"+ckpt", "x", "+ckpt-buddy", "-oProxyCommand=x:/b"},
	} {
		r := job{program: path, workers: 1, ranks: 1, flags: flags}.run(t)
		r.expectCode(t, 2)
		r.expectSays(t, want)
	}
}
