package abi

// Standard is the ABI of MPI 5.0 chapter 20, which the runtime has itself. Programs made by ampicc have it too.
var Standard = &ABI{
	Name:      "the MPI 5 standard ABI",
	Libraries: []string{"libmpi_abi.so"},
	Functions: func(native Binding) Binding { return native },
}

// Unknown is what a library is that defines MPI and goes by none of the names below.
var Unknown = &ABI{
	Name:      "an MPI implementation that ampirun does not know",
	Libraries: []string{"libmpi.so", "libpmpi.so", "libmpi++.so"},
}

// Known are the ABIs that programs are found to have.
var Known = Table{
	Standard,
	{
		Name:      "Open MPI 1.10",
		Libraries: []string{"libmpi.so.12"}, // the same as MPICH's
		Marks:     []string{"ompi_"},
	},
	{
		Name: "MPICH 3 to 5, Intel MPI, MVAPICH and Cray MPICH",
		Libraries: []string{
			"libmpi.so.12", "libmpich.so", "libmpicxx.so", "libmpifort.so", "libpmpi.so.12", "libpmpich.so",
			"libmpichcxx.so", "libmpichfort.so", "libmpichf90.so", "libfmpich.so", // of MPICH 3 and before
			"libmpi_ilp64.so", "libmpi_mt.so", "libmpigf.so", // Intel's
			"libmpi_cray*.so", "libmpi_gnu*.so", "libmpi_intel*.so", "libmpi_nvidia*.so", "libmpi_amd*.so", "libmpi_pgi*.so", // Cray's
			"libmpich_cray*.so", "libmpich_gnu*.so", "libmpich_intel*.so", "libmpichf90_*.so", "libmpichcxx_*.so",
			"libmpicxx_*.so", "libmpifort_cray*.so", "libmpifort_gnu*.so", "libmpifort_intel*.so", "libmpifort_nvidia*.so", "libmpifort_amd*.so",
		},
	},
	{
		Name: "Open MPI 3 to 5",
		Libraries: []string{
			"libmpi.so.40", "libmpi_mpifh.so.40", "libmpi_usempi*.so.40", "libmpi_cxx.so.40", "libmpi_java.so.40",
			"libopen-rte.so.40", "libopen-pal.so.40", "libopen-pal.so.80",
		},
	},
	{
		Name: "Open MPI 2 or before",
		Libraries: []string{
			"libmpi.so.0", "libmpi.so.1", "libmpi.so.20", "libmpi_mpifh.so", "libmpi_usempi*.so", "libmpi_cxx.so", "libmpi_f77.so", "libmpi_f90.so",
			"libmpi_java.so", "libopen-rte.so", "libopen-pal.so",
		},
	},
	Unknown,
}
