// Package debugger runs jobs under gdb, and holds the commands that gdb gets for them.
package debugger

import (
	"bufio"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"ampirun/internal/memfd"
)

// The commands in three parts of one script: the job and its ranks as they lie in memory; a rank that does not run as gdb's stack; what people type.
var (
	//go:embed job.py
	jobPart string
	//go:embed frames.py
	framesPart string
	//go:embed commands.py
	commandsPart string
)

// Script is the commands as a file that gdb -x takes, whatever its name is.
func Script() string {
	return "python\n" + jobPart + "\n\n" + framesPart + "\n\n" + commandsPart + "end\n"
}

// ErrNoGDB says that there is no gdb.
var ErrNoGDB = errors.New("--gdb: there is no gdb in PATH; install it (Debian: apt-get install gdb)")

// holdFD is the descriptor on which the job says that its workers wait.
const holdFD = 3

// HoldFD returns the number of the descriptor in the job's process on which it says that its workers wait, in a line with their pids.
func HoldFD() int { return holdFD }

// Run starts the job that args are the command line of, waits until its ranks exist, and gives the terminal to gdb. It returns the
// job's exit code: 0 when gdb was left before the job's end, which ends it.
func Run(args []string) (code int, err error) {
	runtime.LockOSThread() // the job and gdb end with this thread
	gdb, err := exec.LookPath("gdb")
	if err != nil {
		return 2, ErrNoGDB
	}
	script, err := memoryFile("ampi.py", Script())
	if err != nil {
		return 1, err
	}
	defer script.Close()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGTSTP) // the terminal sends them to gdb, too, which knows what to do
	job, pids, err := startJob(args)
	if err != nil {
		return 1, err
	}
	if pids == "" {
		return exitCode(job.Wait()), nil // it has said why
	}
	runGDB(gdb, script, pids)
	return endJob(job), nil
}

// startJob runs this program again as the job's manager, in a process group of its own: Ctrl-C is for gdb.
func startJob(args []string) (job *exec.Cmd, pids string, err error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, "", err
	}
	defer read.Close()
	job = exec.Command("/proc/self/exe", args...)
	job.Args[0] = os.Args[0]
	job.Stdout, job.Stderr = os.Stdout, os.Stderr
	job.ExtraFiles = []*os.File{write}
	job.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	err = job.Start()
	write.Close()
	if err != nil {
		return nil, "", fmt.Errorf("start the job: %w", err)
	}
	line, _ := bufio.NewReader(read).ReadString('\n')
	return job, strings.TrimSpace(line), nil
}

// memoryFile makes a file that lives as long as somebody has it open.
func memoryFile(name, text string) (*os.File, error) {
	f, err := memfd.Create(name, 0)
	if err != nil {
		return nil, fmt.Errorf("make the script for gdb: %w", err)
	}
	if _, err := f.WriteString(text); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// runGDB returns when gdb has ended.
func runGDB(gdb string, script *os.File, pids string) {
	list := strings.ReplaceAll(pids, " ", ", ")
	c := exec.Command(gdb, "-q", "-iex", "set auto-load python-scripts off", "-x", "/proc/self/fd/3", "-ex", "python begin(["+list+"])")
	c.Stdin, c.Stdout, c.ExtraFiles = os.Stdin, os.Stdout, []*os.File{script}
	wait := func() {}
	if complaints, err := c.StderrPipe(); err == nil {
		wait = passErrors(complaints)
	}
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if c.Start() == nil {
		wait()
	}
	c.Wait() // however it ends, the job is next
}

// passErrors copies what gdb says on standard error; the function it returns waits for the end. gdb 13 complains at every command
// about the locations of a breakpoint when symbol files have been added since it was hit, which is what showing a rank means.
func passErrors(from io.Reader) (wait func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		lines := bufio.NewReader(from)
		for {
			line, err := lines.ReadString('\n')
			if !strings.HasPrefix(line, "warning: location number not found for breakpoint") {
				io.WriteString(os.Stderr, line)
			}
			if err != nil {
				return
			}
		}
	}()
	return func() { <-done }
}

// leaveTime is how long a job that gdb has left may take to end by itself: it may be passing on its last output.
const leaveTime = time.Second

// endJob ends a job that gdb has left, if it has not ended by itself.
func endJob(job *exec.Cmd) int {
	ended := make(chan int, 1)
	go func() { ended <- exitCode(job.Wait()) }()
	select {
	case code := <-ended:
		return code
	case <-time.After(leaveTime):
	}
	job.Process.Signal(syscall.SIGTERM)
	<-ended
	return 0
}

func exitCode(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return exit.ExitCode()
	}
	return 1
}
