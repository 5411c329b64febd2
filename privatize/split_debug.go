package privatize

import (
	"bytes"
	"debug/elf"
	"encoding/hex"
	"hash/crc32"
	"path/filepath"
)

// Files may have their symbols and debug information in another one, as distributions and `objcopy --only-keep-debug` make them.

// debugFolder is where distributions have such files.
const debugFolder = "/usr/lib/debug"

// separateDebug opens the file with what was stripped from f, the one at path with these bytes, as gdb looks for it: by build ID below debugFolder, then by the
// name in .gnu_debuglink, beside it, in .debug there, or below debugFolder. nil when there is none that belongs to it.
func separateDebug(path string, f *elf.File, data []byte) *elf.File {
	id := buildID(data)
	if len(id) > 1 {
		name := filepath.Join(debugFolder, ".build-id", hex.EncodeToString(id[:1]), hex.EncodeToString(id[1:])+".debug")
		if g, _ := openDebug(name); g != nil && bytes.Equal(sectionBuildID(g), id) {
			return g
		}
	}
	name, sum, ok := debugLink(f)
	if !ok {
		return nil
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	dir := filepath.Dir(path)
	for _, candidate := range []string{filepath.Join(dir, name), filepath.Join(dir, ".debug", name), filepath.Join(debugFolder, dir, name)} {
		if g, data := openDebug(candidate); g != nil && crc32.ChecksumIEEE(data) == sum {
			return g
		}
	}
	return nil
}

func openDebug(path string) (*elf.File, []byte) {
	file, data, err := mapFile(path)
	if err != nil {
		return nil, nil
	}
	file.Close()
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		unmapFile(data)
		return nil, nil
	}
	return f, data
}

// debugLink reads .gnu_debuglink: a name with a zero at its end, filled up to a multiple of four bytes, and the CRC-32 of the file.
func debugLink(f *elf.File) (name string, sum uint32, ok bool) {
	s := f.Section(".gnu_debuglink")
	if s == nil {
		return "", 0, false
	}
	data, err := s.Data()
	if err != nil || len(data) < 8 {
		return "", 0, false
	}
	text, _, found := bytes.Cut(data[:len(data)-4], []byte{0})
	name = string(text)
	return name, le.Uint32(data[len(data)-4:]), found && name != "" && name == filepath.Base(name)
}

// sectionBuildID is buildID of a file whose program headers mean nothing, as those of such files.
func sectionBuildID(f *elf.File) []byte {
	s := f.Section(".note.gnu.build-id")
	if s == nil {
		return nil
	}
	data, err := s.Data()
	if err != nil {
		return nil
	}
	return noteBuildID(data, 4)
}
