package vrank

/*
#include "vrank/core/access.h"
#include "vrank/core/idle.h"
#include "vrank/core/isolate.h"
#include "vrank/core/output.h"
#include "vrank/core/pe_thread.h"
#include "vrank/core/schedule.h"
#include "vrank/core/timeline.h"
#include "vrank/core/tls.h"
#include "vrank/fault/coredump.h"
#include "vrank/fault/fault.h"
#include "vrank/libc/allocation.h"
#include "vrank/libc/bindings.h"
#include "vrank/libc/file_mapping.h"
#include "vrank/libc/ldso.h"
#include "vrank/libc/ldso_fortran.h"
#include "vrank/libc/ldso_getopt.h"
#include "vrank/libc/ldso_libs.h"
#include "vrank/libc/life.h"
#include "vrank/libc/madvise.h"
#include "vrank/libc/pinning.h"
#include "vrank/libc/process.h"
#include "vrank/libc/reach.h"
#include "vrank/migrate/fd_passing.h"
#include "vrank/migrate/steal.h"
#include "vrank/migrate/stealable.h"
#include "vrank/p2p/traffic.h"

static const struct vr_binding *bindings(void) { return vr_bindings; }
static const struct vr_binding *stays(void) { return vr_pinning_bindings; }
static const struct vr_binding *ldso_calls(void) { return vr_ldso_bindings; }
static const struct vr_binding *getopts(void) { return vr_getopt_bindings; }
static const struct vr_binding *fortran(void) { return vr_fortran_bindings; }
static const struct vr_binding *shared_stays(void) { return vr_pinning_shared_bindings; }
static const struct vr_binding *shared_libraries(void) { return vr_shared_library_bindings; }
static const struct vr_binding *shared_only(void) { return vr_shared_only_bindings; }
static const struct vr_binding *any_libraries(void) { return vr_library_bindings; }
static const struct vr_binding *namespace_libraries(void) { return vr_namespace_library_bindings; }
static void set_measuring(void) { atomic_store(&vr_job->measuring, 1); }
static const char *const *heap_names(void) { return vr_heap_names; }
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"ampirun/isomalloc"
)

// MPI is what the MPI layer gives to the core.
type MPI interface {
	Server
	// Table is the address of the function table for programs' shims.
	Table() uintptr
	// Function is the address of an MPI function for programs that bind them by name; 0 when it is not one.
	Function(name string) uintptr
	// Name is the MPI name of a function by its number.
	Name(fn int) string
	// NewRank gives a rank that is being made its MPI state; the argument is its control block.
	NewRank(rcb unsafe.Pointer)
	// EndRank forgets a rank that has ended or goes to another worker.
	EndRank(rank int)
	// Keeps tells whether it keeps anything of a rank.
	Keeps(rank int) bool
	// Pack is what it keeps of a rank, for Unpack in another worker.
	Pack(rank int) []byte
	Unpack(rank int, data []byte) error
}

// running is what the PE thread takes over from Run.
var running *worker

// Run runs this worker's share of a job: it returns when all its ranks have ended, or after Stop. Events are reported from
// the PE thread, EventDone last. Call it once in a process.
func Run(cfg Config, mpi MPI, report func(Event)) error {
	layout := cfg.Layout
	region, err := isomalloc.Attach(cfg.RegionFD, layout)
	if err != nil {
		return fmt.Errorf("map the region: %w", err)
	}
	w := &worker{cfg: &cfg, mpi: mpi, report: report, region: region, attached: map[int]bool{}}
	if cfg.Snapshot {
		if w.snapshot, err = newSnapshot(region, cfg.SnapshotFD); err != nil {
			return fmt.Errorf("take the memory that checkpoints are copied to: %w", err)
		}
	}
	running = w
	stack := at(uintptr(cfg.Layout.Base) + privateSize - peStackSize)
	if err := cError(C.vr_pe_thread_run(stack, peStackSize)); err != nil {
		return fmt.Errorf("run the PE thread: %w", err)
	}
	return running.err
}

// control is the address of the job's shared structures.
func (w *worker) control() unsafe.Pointer { return at(uintptr(w.cfg.Layout.Base) + privateSize) }

func (w *worker) startPE() error {
	return cError(C.vr_pe_start(w.control(), C.int(w.cfg.PE)))
}

// joinJob lays the job's structures out (PE 0) or waits until they are.
func (w *worker) joinJob() error {
	if w.cfg.PE == 0 {
		if err := w.layJobOut(); err != nil {
			return err
		}
		C.vr_job.saves = w.saves()
	}
	await(func() bool { return C.vr_job_is_ready(w.control()) != 0 })
	C.vr_spin_ticks = C.uint64_t(w.spinTime().Seconds() * ticksPerSecond())
	if w.cfg.Measure || w.cfg.ProbeOnly {
		C.vr_measure = 1
		C.set_measuring()
	}
	if w.cfg.Traffic {
		C.vr_traffic_on = 1
	}
	if l := w.cfg.Timeline; l != nil {
		quantum := l.Quantum * ticksPerSecond()
		C.vr_timeline_limit = C.struct_vr_timeline_limit{quantum: C.uint64_t(quantum), long_run: C.uint64_t(2 * quantum / float64(l.Runs)),
			runs: C.int32_t(l.Runs), messages: C.int32_t(l.Messages)}
		C.vr_timeline_begin()
	}
	if p := w.cfg.StealPolicy; w.cfg.Steal {
		C.vr_steal_policy = C.struct_vr_steal_policy{is_on: 1, cost: C.uint64_t(p.Cost * ticksPerSecond())}
		if p.Half {
			C.vr_steal_policy.half = 1
		}
		if w.movable && !w.crowded && !w.images.NeedSettling() && w.cfg.CopyFD == 0 && !w.sharesLibraries {
			C.vr_stealable_on = 1
		}
	}
	C.vr_out_fd = C.int(w.cfg.OutputFD)
	C.vr_heap_handlers()
	C.vr_core_setup(C.int(w.region.FD()), C.uint64_t(w.region.Base()))
	w.startJournal()
	if w.cfg.CopyFD > 0 {
		if err := w.startCopying(); err != nil {
			return fmt.Errorf("+migrate copy: %w", err)
		}
		C.vr_keeps_small_pages = 1
	}
	C.vr_fdpass_setup(C.int(w.cfg.FDPassFD), C.int(w.cfg.PEs))
	C.vr_fork_setup(C.int(w.region.FD()), C.uint64_t(w.cfg.Layout.Base))
	if w.copier == nil && C.vr_access_setup(C.int(w.region.FD()), C.uint64_t(w.region.Base()), C.int64_t(w.spare)) != 0 {
		return errors.New("no memory to keep account of what ranks have allocated")
	}
	if w.cfg.Isolate {
		if err := cError(C.vr_isolate_setup()); err != nil {
			return fmt.Errorf("+isolate: %w", err)
		}
	}
	C.vr_file_mapping_setup(C.int(w.region.FD()), C.uint64_t(w.region.Base()))
	if w.cfg.HostHeap {
		C.vr_host_heap = 1
	}
	C.vr_reach_begin()
	return cError(C.vr_pe_join())
}

// layJobOut makes the job's structures, or those of a job that was saved fit for this one.
func (w *worker) layJobOut() error {
	if w.cfg.Restart != nil {
		return w.restartJob()
	}
	l, keeps := w.layout.toC(), C.int(0)
	if w.cfg.Keeps {
		keeps = 1
	}
	C.vr_job_init(w.control(), C.int(w.cfg.PEs), C.int(w.cfg.Ranks), keeps, &l, C.uint64_t(w.region.Slice(0).Lo))
	return nil
}

// saves is where ranks can have the job saved.
func (w *worker) saves() (places C.int32_t) {
	if w.cfg.ToDisk {
		places |= C.VR_TO_DISK
	}
	if w.cfg.ToMemory {
		places |= C.VR_TO_MEMORY
	}
	return places
}

// startJob waits until the ranks of all workers exist.
func (w *worker) startJob() {
	await(func() bool { return w.copier == nil || w.copier.hasAll() || isStopped() })
	C.vr_job_start()
	await(func() bool { return C.vr_job_is_started() != 0 || isStopped() })
	if C.vr_job.keeps != 0 {
		w.prepareInterrupts()
	}
}

func (l *sliceLayout) toC() C.struct_vr_layout {
	u := func(n uint64) C.uint64_t { return C.uint64_t(n) }
	return C.struct_vr_layout{
		slice_size: u(l.size), guard: u(l.guard), guard_size: u(l.guardSize), stack: u(l.stack), stack_size: u(l.stackSize),
		control_block: u(l.controlBlock), tls_size: u(l.tlsSize), images: u(l.images), images_size: u(l.imagesSize), images_align: u(l.imagesAlign),
		requests: u(l.requests), requests_size: u(l.requestsSize), libraries: u(l.libraries), libraries_size: u(l.librariesSize), heap: u(l.heap), heap_size: u(l.heapSize),
	}
}

// spinTime is how long an idle PE looks for news before it sleeps. With more PEs than cores it would only keep others from
// running.
func (w *worker) spinTime() time.Duration {
	if w.cfg.PEs > runtime.NumCPU() {
		return 0
	}
	return 100 * time.Microsecond
}

// InheritedFD is the number that a worker has for a descriptor which it was started with, as 3, 4, and so on.
func InheritedFD(number int) int { return number - 3 + int(C.vr_fd_base) }

func threadPointer() uintptr     { return uintptr(C.vr_pe.tp) }
func tlsReserveSize() uint64     { return uint64(C.vr_tls_reserve_size()) }
func setupFaults() error         { return cError(C.vr_fault_setup()) }
func ticksPerSecond() float64    { return float64(C.vr_job.ticks_per_second) }
func setShimTable(table uintptr) { C.vr_shim_table = at(table) }
func peCounters() (switches, idle, busy uint64) {
	return uint64(C.vr_pe.switches), uint64(C.vr_pe.idle_ticks), uint64(C.vr_pe.busy_ticks)
}

// stolen is what this PE has taken from others.
func stolen() Stolen {
	s := &C.vr_pe.steal
	return Stolen{Ranks: uint64(s.stolen), Steals: uint64(s.steals), Seconds: float64(s.latency) / ticksPerSecond()}
}

// setLdso notes who loads what ranks run.
func setLdso(byLd bool) {
	if byLd {
		C.vr_ldso = 1
	}
}

// checkHeap walks the heap of a rank that has ended.
func checkHeap(r *rank) error {
	var why [256]C.char
	if C.vr_heap_sound(&r.c, &why[0], C.size_t(len(why))) == 0 {
		return nil
	}
	return errors.New(C.GoString(&why[0]))
}

// bindings are the symbols that programs get from the runtime.
func bindings() map[string]uintptr {
	m := commonBindings()
	apply(m, C.stays())
	return m
}

// commonBindings are those that programs get whatever loads them.
func commonBindings() map[string]uintptr {
	m := make(map[string]uintptr)
	apply(m, C.bindings())
	return m
}

// sharedBindings are those of programs that use the libraries of the worker: ld.so answers what is asked about objects, and
// memory of the rank's heap meets that of the worker's.
func sharedBindings() map[string]uintptr {
	m := bindings()
	apply(m, C.ldso_calls())
	apply(m, C.shared_libraries())
	apply(m, C.getopts())
	apply(m, C.fortran())
	apply(m, C.shared_stays())
	return m
}

// sharedLibraryBindings are those of libraries that ranks share.
func sharedLibraryBindings() map[string]uintptr {
	m := make(map[string]uintptr)
	apply(m, C.any_libraries())
	apply(m, C.shared_libraries())
	apply(m, C.shared_only())
	return m
}

// namespaceLibraryBindings are those of libraries in a rank's own namespace.
func namespaceLibraryBindings() map[string]uintptr {
	m := make(map[string]uintptr)
	apply(m, C.any_libraries())
	apply(m, C.namespace_libraries())
	return m
}

// namespaceBindings are those of programs whose C library, with its heap, ld.so has loaded for them.
func namespaceBindings() map[string]uintptr {
	m := commonBindings()
	apply(m, C.ldso_calls())
	return withoutHeap(m)
}

// withoutHeap leaves the allocator and the mmap family to the C library.
func withoutHeap(m map[string]uintptr) map[string]uintptr {
	all := unsafe.Slice(C.heap_names(), 1<<10)
	for i := 0; all[i] != nil; i++ {
		delete(m, C.GoString(all[i]))
	}
	return m
}

// apply adds the rows of a table of bindings; one without an address takes the name out.
func apply(m map[string]uintptr, table *C.struct_vr_binding) {
	all := unsafe.Slice(table, 1<<10)
	for i := 0; all[i].name != nil; i++ {
		name := C.GoString(all[i].name)
		if delete(m, name); all[i].address != nil {
			m[name] = uintptr(all[i].address)
		}
	}
}
