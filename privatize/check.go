package privatize

import (
	"bytes"
	"debug/elf"
	"fmt"
	"strings"
)

const (
	libcSoname    = "libc.so.6"
	threadsSoname = "libpthread.so.0"
)

// checkProgram refuses what is not an ordinary PIE.
func checkProgram(im *image) error {
	switch {
	case im.typ == elf.ET_EXEC && im.interp == "":
		return &Refusal{im.path, Static, "is statically linked", wayDynamic}
	case im.typ == elf.ET_EXEC:
		return &Refusal{im.path, NotPIE, "is not position independent (ET_EXEC)", wayPIE}
	case im.interp == "" && im.dyn.pie:
		return &Refusal{im.path, Static, "is statically linked (static PIE)", wayDynamic}
	case im.interp == "":
		return &Refusal{im.path, NotProgram, "is a shared library, not a program", "give ampirun the program that uses it"}
	}
	return checkText(im)
}

func checkLibrary(im *image) error {
	if im.typ != elf.ET_DYN {
		return &Refusal{im.path, NotProgram, "is not a shared library", "rebuild it with -shared -fPIC"}
	}
	return checkText(im)
}

func checkText(im *image) error {
	if im.dyn.textrel {
		return &Refusal{im.path, TextRelocation, "has text relocations (DT_TEXTREL)", wayPIC}
	}
	return nil
}

var sanitizerLibs = []string{"libasan.so", "libtsan.so", "liblsan.so", "libhwasan.so", "libmsan.so", "libclang_rt."}

// sanitizerSymbols are defined or wanted by every program built with the sanitizer of that name.
var sanitizerSymbols = []string{"__asan_init", "__tsan_init", "__msan_init", "__hwasan_init", "__lsan_init"}

// checkSanitizers refuses programs whose run-time library wants the whole process to itself.
func (p *Program) checkSanitizers() error {
	for _, im := range p.images {
		for _, n := range im.dyn.needed {
			if isSanitizerLib(n) {
				return refuseSanitizer(im, n)
			}
		}
		for _, s := range sanitizerSymbols {
			if _, ok := im.find(newQuery(s, "")); ok {
				return refuseSanitizer(im, s)
			}
		}
	}
	return nil
}

// checkRunnable is checkProgram plus what only one process of a job needs to look at: a sanitizer linked statically shows
// in the static symbol table alone.
func checkRunnable(im *image) error {
	if err := checkProgram(im); err != nil {
		return err
	}
	if _, own := im.staticSymbol(ownMPI); (own || im.defines(ownMPI)) && !im.defines(shimFunction) {
		return refuseOwn(im.path)
	}
	_, names, ok := im.staticTables()
	if !ok {
		return nil
	}
	for _, s := range sanitizerSymbols {
		if bytes.Contains(names, []byte("\x00"+s+"\x00")) {
			return refuseSanitizer(im, s)
		}
	}
	return nil
}

func refuseSanitizer(im *image, by string) error {
	return &Refusal{im.path, Sanitizer, fmt.Sprintf("is a sanitizer build (%s)", by), waySanitize}
}

func isSanitizerLib(name string) bool {
	for _, l := range sanitizerLibs {
		if strings.HasPrefix(name, l) {
			return true
		}
	}
	return false
}

func isSanitizerSymbol(name string) bool {
	for _, p := range []string{"__asan_", "__tsan_", "__msan_", "__hwasan_", "__lsan_", "__ubsan_handle_"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}
