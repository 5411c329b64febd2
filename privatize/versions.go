package privatize

import "debug/elf"

const (
	maxVersions  = 1 << 15
	versionIndex = 0x7fff
	versionHide  = 0x8000
)

// version is one entry of an object's table of symbol versions, needed and defined alike; the unnamed
// version matches references that were linked before the library had any.
type version struct{ name string }

func (im *image) readVersions(t *dynTags) error {
	if !t.has(elf.DT_VERSYM) {
		return nil
	}
	var ok bool
	if im.dyn.versym, ok = im.viewTail(t.val[elf.DT_VERSYM]); !ok {
		return malformed(im.path, "has its symbol versions outside its data")
	}
	if err := im.readDefined(t.val[elf.DT_VERDEF], t.val[elf.DT_VERDEFNUM]); err != nil {
		return err
	}
	return im.readNeeded(t.val[elf.DT_VERNEED], t.val[elf.DT_VERNEEDNUM])
}

// readDefined walks Elf64_Verdef: flags, index, count of names, offset of the first name, offset of the next.
func (im *image) readDefined(vaddr, n uint64) error {
	for ; n > 0 && vaddr != 0; n-- {
		b, ok := im.view(vaddr, 20)
		if !ok {
			return malformed(im.path, "has its defined versions outside its data")
		}
		const flagBase = 1
		if le.Uint16(b[2:])&flagBase == 0 {
			aux, ok := im.view(vaddr+uint64(le.Uint32(b[12:])), 8)
			if !ok || !im.setVersion(le.Uint16(b[4:]), le.Uint32(aux)) {
				return malformed(im.path, "has a defined version without a name")
			}
		}
		next := uint64(le.Uint32(b[16:]))
		if next == 0 {
			break
		}
		vaddr += next
	}
	return nil
}

// readNeeded walks Elf64_Verneed, one per library, and the Elf64_Vernaux of each.
func (im *image) readNeeded(vaddr, n uint64) error {
	for ; n > 0 && vaddr != 0; n-- {
		b, ok := im.view(vaddr, 16)
		if !ok {
			return malformed(im.path, "has its needed versions outside its data")
		}
		im.dyn.verneeds = append(im.dyn.verneeds, vaddr)
		if err := im.readNeededNames(vaddr+uint64(le.Uint32(b[8:])), le.Uint16(b[2:])); err != nil {
			return err
		}
		next := uint64(le.Uint32(b[12:]))
		if next == 0 {
			break
		}
		vaddr += next
	}
	return nil
}

func (im *image) readNeededNames(vaddr uint64, n uint16) error {
	for ; n > 0; n-- {
		b, ok := im.view(vaddr, 16)
		if !ok || !im.setVersion(le.Uint16(b[6:]), le.Uint32(b[8:])) {
			return malformed(im.path, "has a needed version without a name")
		}
		next := uint64(le.Uint32(b[12:]))
		if next == 0 {
			break
		}
		vaddr += next
	}
	return nil
}

func (im *image) setVersion(index uint16, name uint32) bool {
	i := int(index & versionIndex)
	s, ok := im.dyn.str(uint64(name))
	if im.dyn.versionNames++; !ok || im.dyn.versionNames > maxVersions {
		return false
	}
	for len(im.dyn.versions) <= i {
		im.dyn.versions = append(im.dyn.versions, version{})
	}
	im.dyn.versions[i].name = s
	return true
}

// versionOf returns the version word of a symbol; objects without versions have none.
func (d *dynamic) versionOf(sym uint64) (uint16, bool) {
	if d.versym == nil || sym >= uint64(len(d.versym)/2) {
		return 0, false
	}
	return le.Uint16(d.versym[2*sym:]), true
}

// versionName returns the name behind a version word, empty for local and global.
func (d *dynamic) versionName(word uint16) string {
	i := int(word & versionIndex)
	if i < 2 || i >= len(d.versions) {
		return ""
	}
	return d.versions[i].name
}
