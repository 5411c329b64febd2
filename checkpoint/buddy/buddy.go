// Package buddy keeps copies of a job's checkpoints on another node. Sender and receiver talk through the standard input and output of a
// remote shell, which is what authenticates and encrypts; docs/checkpoint-format.md has what they say.
//
// Each side begins with a greeting. Then come frames: the sender says hello, is told that all is ready, and for each checkpoint offers the
// manifest, is told which files are wanted, sends them, and hears when the checkpoint is safe. Whatever fails there ends the link: the next
// one begins anew, and what has come of a checkpoint that is not complete is removed. Both sides give a sign of life every few seconds, so
// that each notices when the other's node is gone.
package buddy

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Target is where copies go.
type Target struct {
	Host string // as the remote shell takes it, USER@ included
	Dir  string // absolute
}

// ParseTarget reads HOST:DIR. A host with colons is in brackets.
func ParseTarget(text string) (t Target, err error) {
	host, dir, found := strings.Cut(text, ":")
	if at := strings.Index(text, "]:"); strings.HasPrefix(text, "[") && at > 0 {
		host, dir, found = text[1:at], text[at+2:], true
	}
	switch {
	case !found || host == "":
		return t, errors.New("write HOST:DIR")
	case strings.HasPrefix(host, "-") || strings.ContainsAny(host, " \t\n"):
		return t, fmt.Errorf("%q is not the name of a host", host)
	case !filepath.IsAbs(dir) || strings.ContainsAny(dir, "\x00\n"):
		return t, fmt.Errorf("the directory on %s begins with a slash: HOST:/DIR", host)
	}
	return Target{host, filepath.Clean(dir)}, nil
}

func (t Target) String() string {
	if strings.Contains(t.Host, ":") {
		return "[" + t.Host + "]:" + t.Dir
	}
	return t.Host + ":" + t.Dir
}

// Environment variables that say how the other node is reached.
const (
	ShellVariable   = "AMPI_RSH"         // the remote shell with its options, in words
	ProgramVariable = "AMPI_RSH_AMPIRUN" // ampirun there: a path, or a name in the PATH there
)

// DefaultShell asks for no password, and ends when the other node does not answer any more.
const DefaultShell = "ssh -o BatchMode=yes -o ServerAliveInterval=15"

// command is what is run to receive there. Remote shells join words to a line for the shell on the other side.
func (t Target) command(program string) []string {
	shell := strings.Fields(os.Getenv(ShellVariable))
	if len(shell) == 0 {
		shell = strings.Fields(DefaultShell)
	}
	if named := os.Getenv(ProgramVariable); named != "" {
		program = named
	}
	return append(shell, t.Host, quote(program), "ckpt", "receive", quote(t.Dir))
}

// quote makes a word of a shell's line. One that is plain stays as it is, so that a remote shell may as well run the words themselves.
func quote(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:,@%"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
