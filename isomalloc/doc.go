// Package isomalloc owns the address space that ranks live in: the region that
// all workers of a job map at one agreed base, its slices (one for each rank),
// and the heap inside a slice.
//
// The heap is C, because it runs on rank stacks: see heap.h, which other
// packages include with -I${SRCDIR}/../isomalloc. The Go side is for the PE and
// the node manager; nothing here may be called from a rank's stack.
package isomalloc
