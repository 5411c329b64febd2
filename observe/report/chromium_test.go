package report

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// browse loads a page in Chromium without a window or network, and gives the document after its scripts have run.
func browse(t *testing.T, file string) (document string) {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed: the page is not tested in a browser")
	}
	home := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--enable-logging=stderr", "--user-data-dir="+filepath.Join(home, "data"),
		"--dump-dom", "file://"+file)
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home, "TMPDIR="+home)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // with its helpers, which may live a little longer
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		t.Fatalf("chromium: %v\n%s", err, log.String())
	}
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "CONSOLE") {
			t.Errorf("the browser's console says: %s", line)
		}
	}
	return out.String()
}

// count is how often an expression is found.
func count(text, expression string) int {
	return len(regexp.MustCompile(expression).FindAllString(text, -1))
}

// TestPageInABrowser checks that the charts are there once scripts have run, that ours has, and that none of a hostile trace has.
func TestPageInABrowser(t *testing.T) {
	for _, c := range []struct {
		name       string
		ranks, pes int
	}{{"program", 16, 2}, {hostile, 4096, 64}} {
		file, _ := makePage(t, example(t, c.name, c.ranks, c.pes, 60))
		document := browse(t, file)
		if n := count(document, `<html[^>]* data-charts="5"`); n != 1 {
			t.Errorf("%d ranks: the script has not run, or there are not five charts: %s", c.ranks, document[:min(len(document), 300)])
		}
		if strings.Contains(document, "data-broken") || count(document, "<img") > 0 {
			t.Errorf("%d ranks: the trace has put something into the page", c.ranks)
		}
		for chart, least := range map[string]int{
			`<circle class="(before|after)"`:              2 * 15, // of each step
			`<path class="place" d="M`:                    c.pes,
			`<rect class="(heat|probe)"`:                  c.pes * 40,
			`<rect class="bar"`:                           min(c.ranks, 200),
			`<rect class="cell" x="[0-9.]+" y="[0-9.]+"`:  min(c.ranks, 60),
			`<path class="measured" d="M[0-9.]+ [0-9.]+L`: 1,
			`data-tip="PE ` + strconv.Itoa(c.pes-1) + `"`: 1,
		} {
			if n := count(document, chart); n < least {
				t.Errorf("%d ranks: %d of %s, want at least %d", c.ranks, n, chart, least)
			}
		}
	}
}
