// Package vrank runs virtual ranks: user-level threads whose whole userland lies in one slice of the job's region.
//
// The C core of this package runs on the stacks of ranks: switching, the run queue, point-to-point messages, matching.
// The Go side is the PE loop: it runs on the PE's own stack, starts ranks, serves what C hands over, and reports what
// happened to the job.
package vrank

import "ampirun/privatize"

// Config is what one worker needs to run its share of a job. The job's manager fills it and sends it as JSON.
type Config struct {
	PE    int // this worker's number, 0 <= PE < PEs
	PEs   int // workers of the job
	Ranks int // virtual ranks of the job

	RegionFD  int     // descriptor of the region's memfd in this process
	Base      uintptr // agreed address of the region
	SliceSize uint64  // bytes of one rank's slice
	StackSize uint64  // bytes of one rank's stack

	Program   string              // path of the program's file
	Args      []string            // its arguments, Args[0] included
	Env       []string            // its environment, before the per-rank variables are added
	Libraries []privatize.Library // its shared libraries, resolved once by the manager
	Method    string              // privatization method: "pie" or "none"

	OutputFD  int  // where frames of the ranks' output go, see FrameHeader
	HeapCheck bool // check every rank's heap at each operation and at the end
	Stats     bool // measure user time of ranks
	Pin       bool // bind the PE thread to a core of its own
}
