// Package control is the socket by which others look at a running job and steer it: what is asked and answered, the job's side, and that of
// ampirun ctl.
package control

import (
	"fmt"
	"net"
)

// Request is what a client asks of a job: one message (wire.Frame).
type Request struct {
	Verb string `json:"verb"`
	Args []int  `json:"args,omitempty"`
}

// Reply is a part of the answer, one message. The last one has Done set.
type Reply struct {
	Text   string       `json:"text,omitempty"` // for the user
	Status *Status      `json:"status,omitempty"`
	Ranks  []RankStatus `json:"ranks,omitempty"`
	Done   bool         `json:"done,omitempty"`
	Code   int          `json:"code,omitempty"`  // exit code
	Error  string       `json:"error,omitempty"` // why it is not 0
}

// address is where a job listens: a name that exists without a file, and goes with the process.
func address(pid int) *net.UnixAddr {
	return &net.UnixAddr{Name: fmt.Sprintf("@%s%d", namePrefix, pid), Net: "unix"}
}

const (
	namePrefix    = "ampirun-job-"
	nameSeparator = "." // between the pid and the rest, in names of jobs whose own was taken
)

// WorkerName is what workers have in place of their program's name: who names one of them means its job.
const WorkerName = "ampirun-worker"
