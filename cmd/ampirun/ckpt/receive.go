package ckpt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/urfave/cli/v2"
	"golang.org/x/sys/unix"

	"ampirun/checkpoint/buddy"
)

var receiveCommand = cli.Command{
	Name: "receive", Usage: "keep copies of a job's checkpoints: +ckpt-buddy starts it on the other node", ArgsUsage: "DIR",
	Action: func(c *cli.Context) error {
		if c.Args().Len() != 1 {
			return errors.New("name a directory for the copies")
		}
		dir, err := filepath.Abs(c.Args().First())
		if err != nil {
			return err
		}
		if _, err := unix.IoctlGetTermios(int(os.Stdin.Fd()), unix.TCGETS); err == nil {
			return errors.New("it reads from a job, not from a terminal: ampirun +ckpt-buddy starts it")
		}
		ctx, cancel := context.WithCancelCause(c.Context)
		defer cancel(nil)
		go endOnSignal(cancel)
		return buddy.Receive(ctx, dir, os.Stdin, c.App.Writer)
	},
}

// endOnSignal has the receiver tidy up before it ends. That nobody reads its answers any more is an error of writing them.
func endOnSignal(cancel context.CancelCauseFunc) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGPIPE)
	for sig := range signals {
		if sig != syscall.SIGPIPE {
			cancel(fmt.Errorf("ended by a signal: %v", sig))
		}
	}
}
