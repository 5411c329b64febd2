package main

import (
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/zeebo/xxh3"

	_ "ampirun/internal/rlimits"
	"ampirun/shim"
)

// cached returns the directory that build has filled for this compiler and this shim. The directory appears
// under its name complete or not at all; of wrappers that run at the same time one builds and the others wait.
func cached(kind string, compiler []string, build func(dir string, compiler []string) error) (string, error) {
	root, err := cacheRoot()
	if err != nil {
		return "", err
	}
	key, err := cacheKey(compiler)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, kind+"-"+key)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(root, 0o777); err != nil {
		return "", refuse("cannot make the cache directory: %v; name another one in AMPI_CACHE", err)
	}
	unlock, err := lock(dir + ".lock")
	if err != nil {
		return "", refuse("cannot lock the cache directory: %v; name another one in AMPI_CACHE", err)
	}
	defer unlock()
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	return dir, buildInto(root, dir, compiler, build)
}

func buildInto(root, dir string, compiler []string, build func(dir string, compiler []string) error) error {
	temp, err := os.MkdirTemp(root, "building-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := os.Chmod(temp, 0o755); err != nil {
		return err
	}
	if err := build(temp, compiler); err != nil {
		return err
	}
	return os.Rename(temp, dir)
}

func cacheRoot() (string, error) {
	if root := os.Getenv("AMPI_CACHE"); root != "" {
		return filepath.Abs(root)
	}
	if user, err := os.UserCacheDir(); err == nil {
		return filepath.Join(user, "ampirun"), nil
	}
	return privateRoot(filepath.Join(os.TempDir(), fmt.Sprintf("ampicc-%d", os.Geteuid())))
}

// privateRoot is for users without a home: a folder among temporary files that nobody else can write to, or put there.
func privateRoot(root string) (string, error) {
	if err := os.Mkdir(root, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", refuse("no place for the MPI library: HOME and XDG_CACHE_HOME are not set, and %v; name a directory in AMPI_CACHE", err)
	}
	var st syscall.Stat_t
	if err := syscall.Lstat(root, &st); err != nil {
		return "", refuse("no place for the MPI library: %s: %v; name a directory in AMPI_CACHE", root, err)
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFDIR || int(st.Uid) != os.Geteuid() || st.Mode&0o077 != 0 {
		return "", refuse("no place for the MPI library: HOME and XDG_CACHE_HOME are not set, and %s is not a folder of yours alone; name a directory in AMPI_CACHE", root)
	}
	return filepath.Abs(root)
}

// cacheKey names what a build depends on: the compiler by path and version, and every embedded file.
func cacheKey(compiler []string) (string, error) {
	h := xxh3.New()
	fmt.Fprintf(h, "%q\n", compiler)
	version, err := compilerCommand(compiler, "--version").Output()
	if err != nil {
		return "", refuse("%s --version fails: %v", compiler[0], err)
	}
	h.Write(version)
	if err := hashFiles(h); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", h.Sum128().Bytes()), nil
}

func hashFiles(h hash.Hash) error {
	return fs.WalkDir(shim.Files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := shim.Files.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		fmt.Fprintf(h, "%s\n", path)
		_, err = io.Copy(h, f)
		return err
	})
}

// lock waits for the file's lock. The kernel releases it with the process, so a killed wrapper blocks nobody.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return func() { f.Close() }, nil
}
