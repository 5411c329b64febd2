package native

/*
// The assembly of package dl has no note that it needs no executable stack.
#cgo CFLAGS: -std=gnu11 -Wall -Wextra
#cgo LDFLAGS: -Wl,-z,noexecstack
#include <stdint.h>
#include <stddef.h>

enum { METIS_NOPTIONS = 40, METIS_OPTION_SEED = 8, METIS_OK = 1 };

typedef int metis_part_fn(int32_t *nvtxs, int32_t *ncon, int32_t *xadj, int32_t *adjncy, int32_t *vwgt, int32_t *vsize,
			  int32_t *adjwgt, int32_t *nparts, float *tpwgts, float *ubvec, int32_t *options,
			  int32_t *objval, int32_t *part);
typedef int metis_defaults_fn(int32_t *options);

// Calls METIS_PartGraphKway or METIS_PartGraphRecursive of METIS 5 built with 32-bit indices and reals.
static int metis_partition(void *part_fn, void *defaults_fn, int32_t seed, int32_t vertices, int32_t *start,
			   int32_t *peer, int32_t *vertex, int32_t *edge, int32_t parts, float *shares, int32_t *part)
{
	int32_t options[METIS_NOPTIONS], one = 1, cut;

	((metis_defaults_fn *)defaults_fn)(options);
	options[METIS_OPTION_SEED] = seed;
	return ((metis_part_fn *)part_fn)(&vertices, &one, start, peer, vertex, NULL, edge, &parts, shares, NULL, options,
					  &cut, part);
}
*/
import "C"

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/rainycape/dl"

	"ampirun/loadbalance/partition"
)

// metisLibrary is what is used of METIS.
type metisLibrary struct {
	defaults, recursive, kway unsafe.Pointer
}

var openMetis = sync.OnceValues(func() (*metisLibrary, error) {
	lib, err := open([]string{"libmetis.so.5"}, dl.RTLD_NOW|dl.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	m := &metisLibrary{}
	return m, find(lib, map[string]*unsafe.Pointer{
		"METIS_SetDefaultOptions":  &m.defaults,
		"METIS_PartGraphRecursive": &m.recursive,
		"METIS_PartGraphKway":      &m.kway,
	})
})

func init() { partition.Register("metis", metis) }

// metisFewParts is up to where METIS' manual prefers recursive bisection.
const metisFewParts = 8

// metis divides a graph with METIS.
func metis(g *partition.Graph, targets []float64, seed uint64) ([]int32, error) {
	lib, err := openMetis()
	if err != nil {
		return nil, err
	}
	in, err := newInput(g, targets)
	if err != nil {
		return nil, err
	}
	shares, part := make([]float32, len(targets)), make([]int32, g.Vertices())
	for i, t := range targets {
		shares[i] = float32(t)
	}
	call := lib.kway
	if len(targets) <= metisFewParts {
		call = lib.recursive
	}
	code := C.metis_partition(call, lib.defaults, C.int32_t(seed&0x7fffffff), C.int32_t(g.Vertices()), numbers(in.start),
		numbers(in.peer), numbers(in.vertex), numbers(in.edge), C.int32_t(len(targets)), (*C.float)(&shares[0]), numbers(part))
	if code != C.METIS_OK {
		return nil, fmt.Errorf("METIS gave code %d", code)
	}
	return part, nil
}

func numbers(s []int32) *C.int32_t { return (*C.int32_t)(&s[0]) }
