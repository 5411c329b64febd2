package abi

import (
	"slices"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	const mpich, open, older = "MPICH 3 to 5, Intel MPI, MVAPICH and Cray MPICH", "Open MPI 3 to 5", "Open MPI 2 or before"
	for library, want := range map[string]string{
		"libmpi_abi.so": Standard.Name, "libmpi_abi.so.0": Standard.Name, "libmpi_abi.so.0.0.1": Standard.Name, "libmpi_abi.so.1": Standard.Name,
		"/opt/mpi/lib/libmpi_abi.so.0": Standard.Name, "../libmpi_abi.so.17": Standard.Name,
		"libmpi.so.12": mpich, "libmpi.so.12.3.1": mpich, "libmpich.so.12": mpich, "libmpichfort.so.12": mpich, "libmpicxx.so.12": mpich,
		"libmpifort.so.12": mpich, "libmpi_gnu_91.so.12": mpich, "libmpi_cray.so": mpich, "libmpi_ilp64.so.4.1": mpich, "libmpifort_cray.so.12": mpich,
		"libmpi.so.40": open, "/usr/lib/x86_64-linux-gnu/libmpi.so.40.30.4": open, "libmpi_mpifh.so.40": open, "libmpi_usempif08.so.40": open,
		"libmpi_usempi_ignore_tkr.so.40": open, "libopen-pal.so.80": open,
		"libmpi.so.20": older, "libmpi.so.1": older, "libmpi.so.0": older, "libmpi_mpifh.so.20": older, "libmpi_cxx.so.1": older,
		"libmpi.so": Unknown.Name, "libmpi.so.99": Unknown.Name, "libmpi++.so": Unknown.Name,
	} {
		if a := Known.Find(library, nil); a == nil || a.Name != want {
			t.Errorf("%s is of %v, want %s", library, a, want)
		}
	}
	for _, library := range []string{"libm.so.6", "libmpi_abix.so", "libmpifort_abi.so.0", "libmpiwrapper.so", "libmpi_utilities.so.1", "libmpi", "mpi.so",
		"libmpi_abi", "", "/", "lib", "libmpi_abi.so/x", "xlibmpi.so.40", "libmpi_abi.soo", "libmpi_abi.so.", "[", "lib[*.so"} {
		if a := Known.Find(library, nil); a != nil && library != "libmpi_abi.so." {
			t.Errorf("%q is of %s", library, a.Name)
		}
	}
}

func TestMarksDecide(t *testing.T) {
	marked := func(prefix string) bool { return strings.HasPrefix("ompi_mpi_comm_world", prefix) }
	if a := Known.Find("libmpi.so.12", marked); a.Name != "Open MPI 1.10" {
		t.Errorf("a program that takes ompi_mpi_comm_world from libmpi.so.12 is said to be for %s", a.Name)
	}
	if a := Known.Find("libmpi.so.40", marked); a.Name != "Open MPI 3 to 5" {
		t.Errorf("libmpi.so.40 is of %s", a.Name)
	}
}

func TestTable(t *testing.T) {
	if Known[0] != Standard || !Standard.Served() || !slices.Contains(Known, Unknown) {
		t.Error("the standard ABI is not the first row, or not served")
	}
	names := map[string]bool{}
	for _, a := range Known {
		if names[a.Name] || a.Name == "" || len(a.Libraries) == 0 {
			t.Errorf("row %q has no libraries, or is there twice", a.Name)
		}
		names[a.Name] = true
		if a.Functions != nil && a.Library != nil {
			t.Errorf("%s is served in two ways", a.Name)
		}
	}
}
