package checkpoint

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// StoredFile is a file of a generation.
type StoredFile struct {
	Name string
	Size uint64 // bytes
}

// Files are the files of a complete generation, held open to be copied: they can be read until Close, also when the generation has been
// removed since. Several goroutines may read them at a time.
type Files struct {
	Number uint64
	open   map[string]*os.File
}

// Files opens all files of a generation.
func (s *Store) Files(number uint64) (*Files, error) {
	folder, err := s.folder(number)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	names, err := folder.Names()
	if err != nil {
		return nil, err
	}
	f := &Files{Number: number, open: map[string]*os.File{}}
	for _, name := range names {
		file, err := folder.Open(name)
		if err != nil {
			f.Close()
			return nil, err
		}
		f.open[name] = file
	}
	if f.open[manifestName] == nil {
		f.Close()
		return nil, damaged(folder.Path(manifestName), "it is missing")
	}
	return f, nil
}

// Manifest reads the file that says what the generation is made of.
func (f *Files) Manifest() ([]byte, error) {
	in, size, err := f.Open(manifestName)
	if err != nil {
		return nil, err
	}
	data := make([]byte, size)
	_, err = io.ReadFull(in, data)
	return data, err
}

// Open gives a file from its beginning, and its size in bytes.
func (f *Files) Open(name string) (io.Reader, uint64, error) {
	file := f.open[name]
	if file == nil {
		return nil, 0, fmt.Errorf("checkpoint %d has no file %q", f.Number, name)
	}
	info, err := file.Stat()
	if err != nil {
		return nil, 0, err
	}
	return io.NewSectionReader(file, 0, info.Size()), uint64(info.Size()), nil
}

// Close gives the files up.
func (f *Files) Close() error {
	var errs []error
	for _, file := range f.open {
		errs = append(errs, file.Close())
	}
	return errors.Join(errs...)
}
