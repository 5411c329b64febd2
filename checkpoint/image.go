package checkpoint

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"github.com/zeebo/xxh3"
)

const imageExt = ".image"

// Identify tells what file a path is now: its size, hash and build id.
func Identify(path string) (Image, error) {
	f, err := os.Open(path)
	if err != nil {
		return Image{}, err
	}
	defer f.Close()
	h := xxh3.New()
	size, err := io.Copy(h, f)
	if err != nil {
		return Image{}, err
	}
	return Image{Path: path, BuildID: buildID(f), Hash: h.Sum128().Bytes(), Size: size}, nil
}

// Check compares a file with the image: what is not the same byte for byte is refused by name.
func (i *Image) Check(path string) error {
	now, err := Identify(path)
	if err != nil {
		return err
	}
	if i.IsSame(&now) {
		return nil
	}
	return fmt.Errorf("%s is not the file that the checkpoint was made with: %s, not %s", path, now.Describe(), i.Describe())
}

// IsSame tells whether two files are the same byte for byte.
func (i *Image) IsSame(other *Image) bool { return i.Hash == other.Hash && i.Size == other.Size }

// Resembles compares size and build id with those of a file, without reading all of it.
func (i *Image) Resembles(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	return err == nil && info.Size() == i.Size && buildID(f) == i.BuildID
}

// Describe tells which file it is, in words.
func (i *Image) Describe() string {
	if i.BuildID != "" {
		return fmt.Sprintf("%d bytes, build id %s, hash %s", i.Size, i.BuildID, i.Hash)
	}
	return fmt.Sprintf("%d bytes, hash %s", i.Size, i.Hash)
}

// buildID reads the note that linkers write (NT_GNU_BUILD_ID); "" if there is none.
func buildID(f io.ReaderAt) string {
	file, err := elf.NewFile(f)
	if err != nil {
		return ""
	}
	section := file.Section(".note.gnu.build-id")
	if section == nil || section.Size > 4096 {
		return ""
	}
	note, err := section.Data()
	const head = 16 // sizes of name and content, type, "GNU\0"
	if err != nil || len(note) < head || !bytes.Equal(note[12:head], []byte("GNU\x00")) {
		return ""
	}
	return hex.EncodeToString(note[head:min(len(note), head+int(file.ByteOrder.Uint32(note[4:])))])
}

func imageName(h Hash) string { return h.String() + imageExt }

// OpenImage opens the embedded copy of an image, which has the rights to run it; it has been compared with the image's hash.
func (g *Generation) OpenImage(i *Image) (*os.File, error) {
	f, err := g.folder.Open(imageName(i.Hash))
	if err != nil {
		return nil, missing(g.folder.Path(imageName(i.Hash)), err)
	}
	h := xxh3.New()
	if _, err = io.Copy(h, f); err == nil && Hash(h.Sum128().Bytes()) != i.Hash {
		err = damaged(f.Name(), "it is not the %s that was embedded", i.Path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// CopyImage writes the embedded copy of an image. An error means that what was written is not to be used.
func (g *Generation) CopyImage(i *Image, to io.Writer) error {
	path := g.folder.Path(imageName(i.Hash))
	f, err := g.folder.Open(imageName(i.Hash))
	if err != nil {
		return missing(path, err)
	}
	defer f.Close()
	h := xxh3.New()
	if _, err := io.Copy(io.MultiWriter(to, h), f); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if Hash(h.Sum128().Bytes()) != i.Hash {
		return damaged(path, "it is not the %s that was embedded", i.Path)
	}
	return nil
}

func (g *Generation) verifyImages(wanted func(name string) bool) error {
	job, err := g.Job()
	if err != nil {
		return err
	}
	for i := range job.Images {
		if job.Images[i].Embedded && wanted(imageName(job.Images[i].Hash)) {
			f, err := g.OpenImage(&job.Images[i])
			if err != nil {
				return err
			}
			f.Close()
		}
	}
	return nil
}

// embed puts the images into the folder, if that is wanted.
func (v *saving) embed() error {
	if !v.store.options.Embed {
		return nil
	}
	job := *v.job
	job.Images = append([]Image(nil), v.job.Images...)
	have := map[Hash]bool{}
	for i := range job.Images {
		image := &job.Images[i]
		image.Embedded = true
		if have[image.Hash] {
			continue
		}
		have[image.Hash] = true
		if err := v.embedOne(image); err != nil {
			return fmt.Errorf("embed %s: %w", image.Path, err)
		}
	}
	v.job = &job
	return nil
}

// embedOne links the copy that the last generation has, or makes one.
func (v *saving) embedOne(image *Image) error {
	name := imageName(image.Hash)
	if v.before != 0 && v.link(v.before, name) == nil {
		return nil
	}
	in, err := os.Open(cmp.Or(image.Source, image.Path))
	if err != nil {
		return err
	}
	defer in.Close()
	h := xxh3.New()
	if err := copyFile(v.store.disk, io.TeeReader(in, h), v.temp, name, true); err != nil {
		return err
	}
	if Hash(h.Sum128().Bytes()) != image.Hash {
		return fmt.Errorf("it has changed since it was loaded")
	}
	return nil
}

// link takes a file over from another generation.
func (v *saving) link(number uint64, name string) error {
	from, err := v.store.folder(number)
	if err != nil {
		return err
	}
	defer from.Close()
	return v.store.disk.Link(from, name, v.temp)
}
