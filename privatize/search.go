package privatize

import (
	"path/filepath"
	"strings"
)

// finder looks for libraries where ld.so would at run time.
type finder struct {
	libraryPath []string // LD_LIBRARY_PATH
	cache       map[string]string
}

// defaultFolders come last.
var defaultFolders = []string{"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"}

func newFinder(libraryPath string) *finder {
	f := &finder{cache: readCache(cacheFile)}
	if libraryPath != "" {
		f.libraryPath = strings.FieldsFunc(libraryPath, func(r rune) bool { return r == ':' || r == ';' })
	}
	return f
}

// find returns the file for a name that an object asks for; by is that object, then what has loaded it, up to the program. A name
// with a slash is the file itself.
func (f *finder) find(name string, by []*image) (string, bool) {
	if strings.Contains(name, "/") {
		return by[0].expand(name), true
	}
	if by[0].dyn.runpath == "" {
		for _, im := range by {
			if path, ok := im.findIn(im.dyn.rpath, name); ok && im.dyn.runpath == "" {
				return path, true
			}
		}
	}
	if path, ok := findIn(f.libraryPath, name); ok {
		return path, true
	}
	if path, ok := by[0].findIn(by[0].dyn.runpath, name); ok {
		return path, true
	}
	if path := f.cache[name]; path != "" && isForHere(path) {
		return path, true
	}
	return findIn(defaultFolders, name)
}

// findIn searches the folders of DT_RPATH or DT_RUNPATH; empty ones mean the current directory.
func (im *image) findIn(folders, name string) (string, bool) {
	if folders == "" {
		return "", false
	}
	return findIn(strings.Split(im.expand(folders), ":"), name)
}

// findIn searches folders, and in each of them first what is there for this processor.
func findIn(folders []string, name string) (string, bool) {
	for _, dir := range folders {
		for _, variant := range hwcaps() {
			if path := filepath.Join(dir, "glibc-hwcaps", variant, name); isForHere(path) {
				return path, true
			}
		}
		if path := filepath.Join(dir, name); isForHere(path) {
			return path, true
		}
	}
	return "", false
}

// expand replaces the variables that names of folders may have.
func (im *image) expand(s string) string {
	if !strings.Contains(s, "$") {
		return s
	}
	origin := filepath.Dir(im.path)
	return strings.NewReplacer("${ORIGIN}", origin, "$ORIGIN", origin, "${LIB}", "lib/x86_64-linux-gnu", "$LIB", "lib/x86_64-linux-gnu",
		"${PLATFORM}", "x86_64", "$PLATFORM", "x86_64").Replace(s)
}
