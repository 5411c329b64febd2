package vrank

import "C"

import "runtime"

// vrankPE is the first Go function of the PE thread, which C has made: see pe_thread.c.
//
//export vrankPE
func vrankPE() {
	runtime.LockOSThread()
	running.err = running.main()
}
