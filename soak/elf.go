package main

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
)

const spoiledFiles = 40 // in a case

// spoilProgram changes what the loader reads of a program, and runs or examines it. Whatever the program does then is right, but ampirun itself has
// to stay in order.
func spoilProgram(c *trial) {
	good, err := os.ReadFile(c.top + "/rounds")
	if err != nil {
		c.fail("%v", err)
	}
	places, err := loaderReads(c.top + "/rounds")
	if err != nil {
		c.fail("%v", err)
	}
	path := c.dir + "/spoiled"
	for i := range spoiledFiles {
		if err := os.WriteFile(path, c.spoilELF(good, places), 0o700); err != nil {
			c.fail("%v", err)
		}
		c.tryProgram(path, i%2 == 0)
		c.count("spoiled programs", 1)
		if c.isEnded() {
			return
		}
	}
}

// span is a part of a file.
type span struct{ from, to uint64 }

// loaderReads are the parts of a program that are not its code or its data.
func loaderReads(path string) (places []span, err error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	places = []span{{0, 64}}
	for _, p := range f.Progs {
		if p.Type == elf.PT_PHDR {
			places = append(places, span{p.Off, p.Off + p.Filesz}, span{p.Off, p.Off + p.Filesz}) // twice as often
		}
	}
	for _, s := range f.Sections {
		switch s.Type {
		case elf.SHT_DYNAMIC, elf.SHT_DYNSYM, elf.SHT_STRTAB, elf.SHT_RELA, elf.SHT_GNU_HASH, elf.SHT_HASH, elf.SHT_GNU_VERSYM, elf.SHT_GNU_VERNEED,
			elf.SHT_GNU_VERDEF, elf.SHT_NOTE, elf.SHT_INIT_ARRAY, elf.SHT_FINI_ARRAY:
			if s.Size > 0 {
				places = append(places, span{s.Offset, s.Offset + s.Size})
			}
		}
	}
	return places, nil
}

// spoilELF changes some bytes or words in those places, or cuts the file off.
func (c *trial) spoilELF(good []byte, places []span) []byte {
	file := append([]byte(nil), good...)
	if c.between(0, 9) == 0 {
		return file[:c.random.IntN(len(file))]
	}
	for range c.between(1, 6) {
		p := places[c.random.IntN(len(places))]
		at := p.from + c.random.Uint64N(p.to-p.from)
		switch c.between(0, 2) {
		case 0:
			file[at] ^= 1 << c.random.IntN(8)
		case 1:
			file[at] = byte(c.random.IntN(256))
		case 2:
			at = min(at&^7, uint64(len(file)-8))
			words := []uint64{0, 1, ^uint64(0), 1 << 63, 1<<63 - 1, 1 << 47, 4096, c.random.Uint64(), binary.LittleEndian.Uint64(file[at:]) + 8}
			binary.LittleEndian.PutUint64(file[at:], words[c.random.IntN(len(words))])
		}
	}
	return file
}

// tryProgram runs a program that may do anything, for a while.
func (c *trial) tryProgram(path string, examine bool) {
	args := []string{"+p", fmt.Sprint(c.between(1, 2)), "+vp", fmt.Sprint(c.between(1, 4)), path, "10", "0", "1"}
	if examine {
		args = []string{"--diagnose", path}
	}
	p := c.start(nil, args...)
	p.endSoon()
	p.end()
	if p.code() != 0 && p.err.String() == "" && p.out.String() == "" {
		p.fail("it fails without a word")
	}
}
