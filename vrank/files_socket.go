package vrank

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/unix"
)

// Socket is one of a pair of sockets (AF_UNIX, SOCK_STREAM) without names.
type Socket struct {
	Peer     uint64 // inode of the other one; 0: it is closed
	Shut     int    // which ways nothing comes through any more, see sendShut
	Room     int    // SO_SNDBUF, as the kernel counts
	Timeouts [2]unix.Timeval
}

var socketTimeouts = [2]int{unix.SO_RCVTIMEO, unix.SO_SNDTIMEO}

// keepSocket copies what waits in a socket of a pair that the rank has both of, or whose other one is closed.
func (r *rank) keepSocket(list []File, f *File) error {
	fd := f.Number
	domain, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_DOMAIN)
	kind, err2 := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	credentials, err3 := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_PASSCRED)
	if err != nil || err2 != nil || err3 != nil || domain != unix.AF_UNIX || kind != unix.SOCK_STREAM || credentials != 0 {
		return f.unfit()
	}
	s, ok := askKernel(f.Object.Inode)
	if !ok {
		return f.unfit()
	}
	f.Socket = s
	if s.Peer != 0 && !hasObject(list, Object{f.Object.Device, s.Peer}) {
		return fmt.Errorf("its descriptor %d is a socket whose other end is not its own: checkpoints have to wait until it is closed", fd)
	}
	if s.Room, err = unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF); err != nil {
		return f.unfit()
	}
	for i, option := range socketTimeouts {
		t, err := unix.GetsockoptTimeval(fd, unix.SOL_SOCKET, option)
		if err != nil {
			return f.unfit()
		}
		s.Timeouts[i] = *t
	}
	return r.peek(f)
}

func hasObject(list []File, o Object) bool {
	for i := range list {
		if list[i].Object == o {
			return true
		}
	}
	return false
}

// peek copies what waits, which stays there. Descriptors may wait with it.
func (r *rank) peek(f *File) error {
	data, err := r.roomForUnread(f)
	if len(data) == 0 {
		return err
	}
	got, _, flags, _, err := unix.Recvmsg(f.Number, data, nil, unix.MSG_PEEK|unix.MSG_DONTWAIT)
	switch {
	case err != nil:
		return fmt.Errorf("read the socket that is its descriptor %d: %w", f.Number, err)
	case flags&unix.MSG_CTRUNC != 0:
		return fmt.Errorf("its descriptor %d is a socket with descriptors in it: checkpoints have to wait until they are received", f.Number)
	case got != len(data):
		return fmt.Errorf("its descriptor %d is a socket of which %d of %d bytes can be read: checkpoints have to wait until it is closed", f.Number, got, len(data))
	}
	return nil
}

// ---- what the kernel knows of the other end: sock_diag(7) ----

const (
	sockDiagByFamily = 20
	showPeer         = 0x04
	showOptions      = 0x40
	attributePeer    = 2
	attributeShut    = 6
	established      = 1
	sendShut         = 2
)

// askKernel finds the other end of a connected socket; false where the kernel does not tell.
func askKernel(inode uint64) (*Socket, bool) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return nil, false
	}
	defer unix.Close(fd)
	answer := make([]byte, 4096)
	n := 0
	if err = unix.Sendto(fd, question(inode), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err == nil {
		n, _, err = unix.Recvfrom(fd, answer, 0)
	}
	if err != nil {
		return nil, false
	}
	return readAnswer(answer[:n], inode)
}

func question(inode uint64) []byte {
	native := binary.NativeEndian
	q := native.AppendUint32(nil, unix.NLMSG_HDRLEN+24)
	q = native.AppendUint16(q, sockDiagByFamily)
	q = native.AppendUint16(q, unix.NLM_F_REQUEST)
	q = append(q, make([]byte, 8)...)
	q = append(q, unix.AF_UNIX, 0, 0, 0)
	q = native.AppendUint32(q, ^uint32(0)) // in any state
	q = native.AppendUint32(q, uint32(inode))
	q = native.AppendUint32(q, showPeer|showOptions)
	return native.AppendUint64(q, ^uint64(0)) // no cookie
}

// readAnswer reads a message: header, family, type, state, inode, and attributes.
func readAnswer(data []byte, inode uint64) (*Socket, bool) {
	native := binary.NativeEndian
	const body = unix.NLMSG_HDRLEN + 16
	if len(data) < body || native.Uint16(data[4:]) != sockDiagByFamily || native.Uint32(data[unix.NLMSG_HDRLEN+4:]) != uint32(inode) ||
		data[unix.NLMSG_HDRLEN+2] != established {
		return nil, false
	}
	s, isConnected := &Socket{}, false
	for data = data[body:]; len(data) >= 4; {
		n, kind := int(native.Uint16(data)), native.Uint16(data[2:])
		if n < 4 || n > len(data) {
			return nil, false
		}
		switch value := data[4:n]; {
		case kind == attributePeer && len(value) == 4:
			s.Peer, isConnected = uint64(native.Uint32(value)), true
		case kind == attributeShut && len(value) == 1:
			s.Shut = int(value[0])
		}
		data = data[min(len(data), (n+3)&^3):]
	}
	return s, isConnected
}

// ---- again ----

// makeSockets makes a pair of which the rank had both, or one.
func (f *File) makeSockets(list []File, done func(int)) error {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return f.cannot(err)
	}
	defer unix.Close(ends[0])
	defer unix.Close(ends[1])
	pair := [2]*File{f, nil}
	done(0)
	for i := range list {
		if o := &list[i]; f.Socket.Peer != 0 && o.Same == 0 && o.Object == (Object{f.Object.Device, f.Socket.Peer}) {
			pair[1] = o
			done(i)
		}
	}
	for i, one := range pair {
		if one != nil {
			if err := one.refillSocket(ends[i], ends[1-i]); err != nil {
				return fmt.Errorf("make its pair of sockets again (descriptor %d): %w", one.Number, err)
			}
		}
	}
	for i, one := range pair {
		if one == nil {
			continue
		}
		if err := one.finishSocket(ends[i]); err != nil {
			return fmt.Errorf("make its pair of sockets again (descriptor %d): %w", one.Number, err)
		}
		if err := one.take(ends[i]); err != nil {
			return err
		}
	}
	return nil
}

// refillSocket sends what waited in a socket from the other end, whose room is not yet what it was.
func (f *File) refillSocket(fd, other int) error {
	if n := int(f.Size); n > 0 {
		// The kernel counts more than bytes; whoever may not have so much may have had no more before.
		if unix.SetsockoptInt(other, unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, 4*n) != nil {
			_ = unix.SetsockoptInt(other, unix.SOL_SOCKET, unix.SO_SNDBUF, 4*n)
		}
	}
	for data := f.content(); len(data) > 0; {
		n, err := unix.SendmsgN(other, data, nil, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
		if err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

func (f *File) finishSocket(fd int) error {
	s := f.Socket
	err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF, s.Room/2) // the kernel doubles it
	for i, option := range socketTimeouts {
		if err == nil {
			err = unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, option, &s.Timeouts[i])
		}
	}
	if err == nil && s.Shut&sendShut != 0 {
		err = unix.Shutdown(fd, unix.SHUT_WR)
	}
	if err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_SETFL, f.Flags&unix.O_NONBLOCK)
	}
	return err
}
