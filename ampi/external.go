package ampi

import "ampirun/ampi/mpi"

// The calls for data in the representation "external32" (MPI 5.0 section 5.3). The _c forms differ in the count only: sizes
// and positions have 64 bits in both.

// externalData is the data that one of these calls moves.
type externalData struct {
	typeRef
	count  int64
	native []byte // packed, still empty
	bytes  int64  // in external32
}

// external reads the arguments datarep, count and datatype.
func (c *call) external(datarep, count, typ int) externalData {
	if name := c.text(datarep, "datarep"); c.err == nil && name != "external32" {
		c.fault(mpi.ErrUnsupportedDatarep, "datarep is %q, only \"external32\" is known", name)
	}
	d := externalData{typeRef: c.datatype(typ, "datatype"), count: c.length(count, "count", mpi.ErrCount)}
	if c.err == nil && !isCommitted(c.Call, d.handle) {
		c.fault(mpi.ErrType, "datatype is not committed")
	}
	d.bytes = d.count * d.layout.ExternalSize()
	return d
}

// data refuses a null pointer as the place of data, unless the type may hold absolute addresses.
func (c *call) data(d *externalData, buf int, name string) {
	const predefinedEnd = 0x300
	if d.bytes > 0 && c.Args[buf] == 0 && d.handle < predefinedEnd {
		c.fault(mpi.ErrBuffer, "%s is a null pointer", name)
	}
}

// window is the part of a buffer of `size` bytes that the data has at *position, and moves the position behind it.
func (c *call) window(d *externalData, buf, size, position int, name string) []byte {
	at := out[int64](c, position, "position")
	if c.err == nil && (*at < 0 || d.bytes > c.num(size)-*at) {
		c.fault(mpi.ErrTruncate, "%d bytes do not fit %s at position %d of %d", d.bytes, name, *at, c.num(size))
	}
	if !c.there(buf, d.bytes, name) {
		return nil
	}
	d.native = make([]byte, d.count*d.layout.Size)
	w := view[byte](c.Args[buf]+uint64(*at), d.bytes)
	*at += d.bytes
	return w
}

func packExternal(c *call) error {
	d := c.external(0, 2, 3)
	c.data(&d, 1, "inbuf")
	w := c.window(&d, 4, 5, 6, "outbuf")
	if c.err != nil || w == nil {
		return c.err
	}
	packType(c.Call, d.handle, d.count, c.Args[1], d.native)
	return d.layout.ToExternal(d.native, w)
}

func unpackExternal(c *call) error {
	d := c.external(0, 5, 6)
	c.data(&d, 4, "outbuf")
	w := c.window(&d, 1, 2, 3, "inbuf")
	if c.err != nil || w == nil {
		return c.err
	}
	if err := d.layout.FromExternal(w, d.native); err != nil {
		return err
	}
	unpackType(c.Call, d.handle, d.count, c.Args[4], d.native)
	return nil
}

func packExternalSize(c *call) error {
	d := c.external(0, 1, 2)
	c.put64(3, "size", d.bytes)
	return c.err
}
