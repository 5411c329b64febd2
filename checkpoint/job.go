package checkpoint

// Job is what a checkpoint knows of a job besides its memory. It is plain data: what is in it is written, and read back equal.
type Job struct {
	Version    string            `json:"version"`     // of ampirun
	Program    string            `json:"program"`     // as it was started
	Args       []string          `json:"args"`        // of the program
	Env        []string          `json:"env"`         // NAME=value
	Dir        string            `json:"dir"`         // the job's working directory
	Ranks      int               `json:"ranks"`       // virtual ranks
	PEs        int               `json:"pes"`         // when the checkpoint was made
	Base       uint64            `json:"base"`        // address of the region
	RegionSize uint64            `json:"region_size"` // bytes
	SliceSize  uint64            `json:"slice_size"`  // bytes
	PageSize   int               `json:"page_size"`   // bytes: a power of two from MinPage to MaxPage
	System     System            `json:"system"`
	Images     []Image           `json:"images"`
	Launcher   string            `json:"launcher"` // path of the ampirun that ran the job: one of Images
	PerRank    []Rank            `json:"per_rank"` // by rank
	Opaque     map[string][]byte `json:"opaque"`   // what else whoever captures the job wants back
}

// System is what the memory of a job may depend on.
type System struct {
	Kernel  string `json:"kernel"`  // uname -r
	Libc    string `json:"libc"`    // as in glibc 2.41
	Machine string `json:"machine"` // uname -m
	CPU     string `json:"cpu"`     // model and what code was chosen by
	Host    string `json:"host"`
}

// Image is a file that ranks have code or data from.
type Image struct {
	Path     string `json:"path"`
	BuildID  string `json:"build_id"` // in hexadecimal; "" without one
	Hash     Hash   `json:"hash"`     // of the whole file
	Size     int64  `json:"size"`     // bytes
	Host     bool   `json:"host"`     // ampirun itself has code from it, where ranks hold addresses
	Embedded bool   `json:"embedded"` // the generation has a copy; Save sets it
	Source   string `json:"-"`        // where Save reads the file; "": its path
}

// Rank is what a rank has outside of its slice.
type Rank struct {
	PE     int               `json:"pe"` // where it was
	Files  []File            `json:"files"`
	Stdout uint64            `json:"stdout"` // bytes handed to the job's output so far
	Stderr uint64            `json:"stderr"`
	Opaque map[string][]byte `json:"opaque"`
}

// File is an open descriptor of a rank.
type File struct {
	Number int    `json:"number"`
	Path   string `json:"path"`
	Flags  int    `json:"flags"`  // of open(2), as F_GETFL has them
	Offset int64  `json:"offset"` // where the next read or write is
	Size   int64  `json:"size"`   // of the file, bytes
	Append bool   `json:"append"` // the rank has only appended: cut the file back to Size on restart
	Kind   string `json:"kind"`   // "file", "directory", or whatever capture tells apart
}

// Extent is a piece of the region that exists: offset from the region's base and length, both multiples of the page.
type Extent struct {
	Offset uint64 `json:"offset"`
	Length uint64 `json:"length"`
}

// End is the offset behind the extent.
func (e Extent) End() uint64 { return e.Offset + e.Length }
