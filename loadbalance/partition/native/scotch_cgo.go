package native

/*
#cgo CFLAGS: -std=gnu11 -Wall -Wextra
#include <stdint.h>
#include <stddef.h>

// Functions of Scotch 6 and 7, built with 32-bit numbers; opaque objects are passed by address.
struct scotch_functions {
	int (*num_size)(void);
	void (*random_seed)(int32_t seed);
	void (*random_reset)(void);
	int (*graph_init)(void *graph);
	void (*graph_exit)(void *graph);
	int (*graph_build)(void *graph, int32_t base, int32_t vertices, const int32_t *start, const int32_t *end,
			   const int32_t *load, const int32_t *label, int32_t edges, const int32_t *peer,
			   const int32_t *weight);
	int (*graph_map)(void *graph, const void *arch, const void *strategy, int32_t *part);
	int (*arch_init)(void *arch);
	void (*arch_exit)(void *arch);
	int (*arch_parts)(void *arch, int32_t parts, const int32_t *shares);
	int (*strat_init)(void *strategy);
	void (*strat_exit)(void *strategy);
};

enum { SCOTCH_OBJECT_SIZE = 4096 }; // room for any opaque object: the largest is below 1 KiB

static int scotch_num_size(const struct scotch_functions *f) { return f->num_size(); }

// Maps a graph to a complete graph of weighted targets, with the default strategy.
static int scotch_partition(const struct scotch_functions *f, int32_t seed, int32_t vertices, int32_t *start,
			    int32_t edges, int32_t *peer, int32_t *vertex, int32_t *edge, int32_t parts,
			    int32_t *shares, int32_t *part)
{
	_Alignas(16) char graph[SCOTCH_OBJECT_SIZE], arch[SCOTCH_OBJECT_SIZE], strategy[SCOTCH_OBJECT_SIZE];
	int code;

	f->random_seed(seed);
	f->random_reset();
	f->graph_init(graph);
	f->arch_init(arch);
	f->strat_init(strategy);
	code = f->graph_build(graph, 0, vertices, start, NULL, vertex, NULL, edges, peer, edge);
	if (code == 0)
		code = f->arch_parts(arch, parts, shares);
	if (code == 0)
		code = f->graph_map(graph, arch, strategy, part);
	f->strat_exit(strategy);
	f->arch_exit(arch);
	f->graph_exit(graph);
	return code;
}
*/
import "C"

import (
	"fmt"
	"math"
	"sync"
	"unsafe"

	"github.com/rainycape/dl"

	"ampirun/loadbalance/partition"
)

// scotchLibrary is what is used of Scotch; its random numbers are global, so one caller at a time.
type scotchLibrary struct {
	mu sync.Mutex
	f  *C.struct_scotch_functions
}

var openScotch = sync.OnceValues(func() (*scotchLibrary, error) {
	// The library calls its error printer without naming the library that has it.
	if _, err := open([]string{"libscotcherr-7.0.so", "libscotcherr-7.0.3.so", "libscotcherr-6.1.so"}, dl.RTLD_NOW|dl.RTLD_GLOBAL); err != nil {
		return nil, err
	}
	lib, err := open([]string{"libscotch-7.0.so", "libscotch-7.0.3.so", "libscotch-6.1.so"}, dl.RTLD_NOW|dl.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	f := &C.struct_scotch_functions{}
	err = find(lib, map[string]*unsafe.Pointer{
		"SCOTCH_numSizeof":  (*unsafe.Pointer)(unsafe.Pointer(&f.num_size)),
		"SCOTCH_randomSeed": (*unsafe.Pointer)(unsafe.Pointer(&f.random_seed)), "SCOTCH_randomReset": (*unsafe.Pointer)(unsafe.Pointer(&f.random_reset)),
		"SCOTCH_graphInit": (*unsafe.Pointer)(unsafe.Pointer(&f.graph_init)), "SCOTCH_graphExit": (*unsafe.Pointer)(unsafe.Pointer(&f.graph_exit)),
		"SCOTCH_graphBuild": (*unsafe.Pointer)(unsafe.Pointer(&f.graph_build)), "SCOTCH_graphMap": (*unsafe.Pointer)(unsafe.Pointer(&f.graph_map)),
		"SCOTCH_archInit": (*unsafe.Pointer)(unsafe.Pointer(&f.arch_init)), "SCOTCH_archExit": (*unsafe.Pointer)(unsafe.Pointer(&f.arch_exit)),
		"SCOTCH_archCmpltw": (*unsafe.Pointer)(unsafe.Pointer(&f.arch_parts)),
		"SCOTCH_stratInit":  (*unsafe.Pointer)(unsafe.Pointer(&f.strat_init)), "SCOTCH_stratExit": (*unsafe.Pointer)(unsafe.Pointer(&f.strat_exit)),
	})
	if err == nil && C.scotch_num_size(f) != 4 {
		err = fmt.Errorf("the library counts with %d bytes, not 4", C.scotch_num_size(f))
	}
	return &scotchLibrary{f: f}, err
})

func init() { partition.Register("scotch", scotch) }

// shareUnits is what a share of 1 is as a weight of Scotch's target.
const shareUnits = math.MaxInt32 / 8

// scotch divides a graph with Scotch.
func scotch(g *partition.Graph, targets []float64, seed uint64) ([]int32, error) {
	lib, err := openScotch()
	if err != nil {
		return nil, err
	}
	in, err := newInput(g, targets)
	if err != nil {
		return nil, err
	}
	shares, part := make([]int32, len(targets)), make([]int32, g.Vertices())
	for i, t := range targets {
		shares[i] = int32(max(1, math.Round(t*shareUnits)))
	}
	lib.mu.Lock()
	defer lib.mu.Unlock()
	code := C.scotch_partition(lib.f, C.int32_t(seed&0x7fffffff), C.int32_t(g.Vertices()), numbers(in.start), C.int32_t(len(in.peer)),
		numbers(in.peer), numbers(in.vertex), numbers(in.edge), C.int32_t(len(targets)), numbers(shares), numbers(part))
	if code != 0 {
		return nil, fmt.Errorf("scotch gave code %d", code)
	}
	return part, nil
}
