package vrank

import (
	"fmt"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// TimerFile is a timerfd.
type TimerFile struct {
	Clock    int
	Flags    int           // of timerfd_settime
	Left     time.Duration // until it goes off; 0: it does not
	Due      time.Duration // when, by its clock
	Interval time.Duration
	Ticks    uint64 // that nobody has read
}

// looks bounds how often a timer is looked at that goes off while it is.
const looks = 100

// keepTimer notes when a timer goes off. Time stands still while a job is saved, but for what is due at a time of day.
func (f *File) keepTimer() error {
	before, err := lookAtTimer(f.Number)
	for range looks {
		if err != nil {
			return err
		}
		if before.isDue() {
			time.Sleep(50 * time.Microsecond)
		}
		if f.Timer, err = lookAtTimer(f.Number); err == nil && f.Timer.Ticks == before.Ticks {
			break
		}
		before = f.Timer
	}
	if f.Timer.Interval > 0 { // a timer with nothing left would be stopped
		f.Timer.Left = max(f.Timer.Left, 1)
	}
	return err
}

// isDue tells whether a timer goes off just now, or does not run.
func (t *TimerFile) isDue() bool { return t.Left == 0 && t.Interval == 0 && t.Ticks == 0 }

// lookAtTimer asks in this order, since the first question has what is over counted.
func lookAtTimer(fd int) (*TimerFile, error) {
	var now unix.ItimerSpec
	var clock unix.Timespec
	t := &TimerFile{}
	err := unix.TimerfdGettime(fd, &now)
	if err == nil {
		err = facts(fd, t.read)
	}
	if err == nil {
		err = unix.ClockGettime(int32(t.Clock), &clock)
	}
	t.Left, t.Interval = time.Duration(now.Value.Nano()), time.Duration(now.Interval.Nano())
	t.Due = time.Duration(clock.Nano()) + t.Left
	return t, err
}

func (t *TimerFile) read(name, value string) (err error) {
	switch name {
	case "clockid":
		t.Clock, err = strconv.Atoi(value)
	case "ticks":
		t.Ticks, err = strconv.ParseUint(value, 10, 64)
	case "settime flags":
		var flags int64
		flags, err = strconv.ParseInt(value, 8, 32)
		t.Flags = int(flags)
	}
	return err
}

func (f *File) makeTimer() error {
	t := f.Timer
	fd, err := unix.TimerfdCreate(t.Clock, f.Flags&(unix.TFD_NONBLOCK|unix.TFD_CLOEXEC))
	if err != nil {
		return f.cannot(err)
	}
	defer unix.Close(fd)
	isDated := t.Flags&unix.TFD_TIMER_ABSTIME != 0 && (t.Clock == unix.CLOCK_REALTIME || t.Clock == unix.CLOCK_REALTIME_ALARM)
	flags, at := 0, t.Left
	if isDated && t.Left > 0 {
		flags, at = t.Flags, t.Due
	}
	how := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(at)), Interval: unix.NsecToTimespec(int64(t.Interval))}
	if err := unix.TimerfdSettime(fd, flags, &how, nil); err != nil {
		return f.cannot(err)
	}
	if err := t.setTicks(fd); err != nil {
		return fmt.Errorf("have a timer (descriptor %d) tell again that it went off: %w", f.Number, err)
	}
	return f.take(fd)
}
