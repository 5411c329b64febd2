package job

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// signalName is the name C gives the signal.
func signalName(sig syscall.Signal) string {
	if name := unix.SignalName(sig); name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", int(sig))
}
