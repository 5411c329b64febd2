// Package conformance asks ampirun, as a user meets it, whether it does what it promises: the wrappers compile the
// programs of testdata/mpi, testdata/lang and examples/legacy-mpi, ampirun runs them with many numbers of ranks and
// workers, and what comes out is compared between placements, with what is expected, and on demand with MPICH.
//
// All of it is in test files. Flags: -mpich runs the comparison with MPICH (also AMPI_TEST_MPICH=1).
package conformance
