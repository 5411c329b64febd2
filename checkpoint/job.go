package checkpoint

// Job is what a checkpoint knows of a job besides its memory. It is plain data: what is in it is written, and read back equal.
type Job struct {
	Version    string            `cbor:"version"`     // of ampirun
	Program    string            `cbor:"program"`     // as it was started
	Args       []string          `cbor:"args"`        // of the program
	Env        []string          `cbor:"env"`         // NAME=value
	Dir        string            `cbor:"dir"`         // the job's working directory
	Ranks      int               `cbor:"ranks"`       // virtual ranks
	PEs        int               `cbor:"pes"`         // when the checkpoint was made
	Base       uint64            `cbor:"base"`        // address of the region
	RegionSize uint64            `cbor:"region_size"` // bytes
	SliceSize  uint64            `cbor:"slice_size"`  // bytes
	PageSize   int               `cbor:"page_size"`   // bytes: a power of two from MinPage to MaxPage
	System     System            `cbor:"system"`
	Images     []Image           `cbor:"images"`
	PerRank    []Rank            `cbor:"per_rank"` // by rank
	Opaque     map[string][]byte `cbor:"opaque"`   // what else whoever captures the job wants back
}

// System is what the memory of a job may depend on.
type System struct {
	Kernel  string `cbor:"kernel"`  // uname -r
	Libc    string `cbor:"libc"`    // as in glibc 2.41
	Machine string `cbor:"machine"` // uname -m
	CPU     string `cbor:"cpu"`     // model and what code was chosen by
	Host    string `cbor:"host"`
}

// Image is a file that ranks have code or data from.
type Image struct {
	Path     string `cbor:"path"`
	BuildID  string `cbor:"build_id"` // in hexadecimal; "" without one
	Hash     Hash   `cbor:"hash"`     // of the whole file
	Size     int64  `cbor:"size"`     // bytes
	Embedded bool   `cbor:"embedded"` // the generation has a copy; Save sets it
}

// Rank is what a rank has outside of its slice.
type Rank struct {
	PE      int               `cbor:"pe"`      // where it was
	Pinned  string            `cbor:"pinned"`  // the reason why it cannot move; "" if it can
	Luggage []byte            `cbor:"luggage"` // what moves with a rank in Go
	Files   []File            `cbor:"files"`
	Stdout  uint64            `cbor:"stdout"` // bytes handed to the job's output so far
	Stderr  uint64            `cbor:"stderr"`
	Opaque  map[string][]byte `cbor:"opaque"`
}

// File is an open descriptor of a rank.
type File struct {
	Number int    `cbor:"number"`
	Path   string `cbor:"path"`
	Flags  int    `cbor:"flags"`  // of open(2), as F_GETFL has them
	Offset int64  `cbor:"offset"` // where the next read or write is
	Size   int64  `cbor:"size"`   // of the file, bytes
	Append bool   `cbor:"append"` // the rank has only appended: cut the file back to Size on restart
	Kind   string `cbor:"kind"`   // "file", "directory", or whatever capture tells apart
}

// Extent is a piece of the region that exists: offset from the region's base and length, both multiples of the page.
type Extent struct {
	Offset uint64 `cbor:"offset"`
	Length uint64 `cbor:"length"`
}

// End is the offset behind the extent.
func (e Extent) End() uint64 { return e.Offset + e.Length }
