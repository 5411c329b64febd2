package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRefusals checks that programs that cannot be run are refused by name, with the reason, before anything starts.
func TestRefusals(t *testing.T) {
	t.Parallel()
	type unfit struct {
		name string
		make string // shell commands that make file "unfit" out of main.c, or exit with 77 when they cannot
		says string
	}
	rows := []unfit{
		{"no-pie", `gcc -no-pie main.c -o unfit`, "not position independent"},
		{"static", `gcc -static main.c -o unfit || exit 77`, "statically linked"},
		{"static-pie", `gcc -static-pie main.c -o unfit || exit 77`, "statically linked"},
		{"32-bit", `gcc -m32 -nostdlib -ffreestanding -fPIE -pie -xc -o unfit - <<< "void _start(void){}" || exit 77`, "32-bit"},
		{"script", `printf '#!/bin/sh\necho hi\n' > unfit`, "script"},
		{"text", `echo hello > unfit`, "not an ELF"},
		{"empty", `: > unfit`, "is empty"},
		{"truncated", `gcc -g main.c -o whole; head -c 5000 whole > unfit`, "the file is damaged"},
		{"header-only", `gcc main.c -o whole; head -c 64 whole > unfit`, "the file is damaged"},
		{"object", `gcc -c main.c -o unfit`, "object"},
		{"library", `gcc -shared -fPIC -xc -o unfit - <<< "int f(void){return 1;}"`, "shared library"},
		{"sanitizer", `gcc -fsanitize=address main.c -o unfit || exit 77`, "sanitizer"},
		{"missing-library", `gcc -shared -fPIC main.c -o libgone.so; gcc main.c -Wl,--no-as-needed -L. -lgone -o unfit`, "libgone.so"},
		{"unresolved", `gcc -shared -fPIC -xc -o libf.so - <<< "int f(void){return 1;}"
			gcc -xc -o unfit - -xnone -L. -lf -Wl,-rpath,'$ORIGIN' <<< "int f(void); int main(void){return f();}"
			gcc -shared -fPIC -xc -o libf.so - <<< "int g(void){return 1;}"`, "f"},
		{"open-mpi", `gcc -shared -fPIC main.c -Wl,-soname,libmpi.so.40 -o libmpi.so; gcc main.c -Wl,--no-as-needed -L. -lmpi -o unfit`, "libmpi.so.40"},
		{"other-mpich", `gcc -shared -fPIC main.c -Wl,-soname,libmpi.so.12 -o libmpi.so; gcc main.c -Wl,--no-as-needed -L. -lmpi -o unfit`, "libmpi.so.12"},
		{"debian-mpich", `command -v mpicc.mpich >/dev/null || exit 77; mpicc.mpich main.c -Wl,--no-as-needed -o unfit`, "libmpich.so.12"},
		{"debian-mpich-fortran", `command -v mpif90.mpich >/dev/null || exit 77; printf '      call mpi_init(i)\n      end\n' > m.f; mpif77.mpich m.f -Wl,--no-as-needed -o unfit`, "libmpich"},
		{"static-mpich", `command -v mpicc.mpich >/dev/null && test -e /usr/lib/x86_64-linux-gnu/libmpich.a || exit 77
			gcc -xc - -xnone -l:libmpich.a -lhwloc -lucp -lucs -luct -lfabric -lpthread -lm -o unfit <<< "int MPI_Init(void*,void*); int main(void){return MPI_Init(0,0);}" || exit 77`, "linked into it"},
		{"chain", `gcc -shared -fPIC main.c -Wl,-soname,libmpi.so.40 -o libmpi.so; gcc -shared -fPIC main.c -Wl,--no-as-needed -L. -lmpi -o libhdf5_openmpi.so
			gcc main.c -Wl,--no-as-needed -L. -lhdf5_openmpi -Wl,-rpath,'$ORIGIN',--unresolved-symbols=ignore-all -o unfit`, "needs libhdf5_openmpi.so, which is built for Open MPI 3 to 5 (libmpi.so.40)"},
	}
	each(t, rows, func(u unfit) string { return u.name }, func(t *testing.T, u unfit) {
		dir := t.TempDir()
		makeUnfit(t, dir, u.make)
		r := job{program: filepath.Join(dir, "unfit"), workers: 2, ranks: 4}.run(t)
		r.expectCode(t, 2)
		r.expectSays(t, "unfit", u.says)
		if lines := strings.Count(r.stderr, "\n"); lines != 1 || r.stdout != "" {
			t.Errorf("%s: want one line\n%s", r.what, r.output())
		}
	})
}

func makeUnfit(t *testing.T, dir, commands string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "main.c"), []byte("int main(void) { return 0; }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	makeHere(t, dir, commands)
	if err := os.Chmod(filepath.Join(dir, "unfit"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// makeHere runs shell commands in a directory, with our wrappers at hand; code 77 means that there is no way.
func makeHere(t *testing.T, dir, commands string) {
	t.Helper()
	cmd := exec.Command("bash", "-c", commands)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+tools+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() == 77 {
		t.Skipf("cannot be made here: %s", out)
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", commands, err, out)
	}
}

// TestUnexecutable checks what a shell would say too: 126 for a file that is not executable or no file.
func TestUnexecutable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "data")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, file} {
		r := job{program: path, workers: 2, ranks: 4}.run(t)
		r.expectCode(t, 126)
		r.expectSays(t, path)
	}
}
