package privatize

import "fmt"

// Reason says which rule a refused file breaks; tests and callers compare it instead of text.
type Reason string

// The reasons a file is refused for.
const (
	NotELF          Reason = "not an ELF file"
	Script          Reason = "script"
	WrongClass      Reason = "32-bit"
	WrongOrder      Reason = "big-endian"
	WrongMachine    Reason = "other machine"
	NotProgram      Reason = "not a program"
	NotPIE          Reason = "not position independent"
	Static          Reason = "statically linked"
	OtherLoader     Reason = "other dynamic loader"
	OtherLibc       Reason = "other C library"
	Malformed       Reason = "malformed ELF"
	TextRelocation  Reason = "text relocation"
	UnknownReloc    Reason = "unknown relocation"
	MissingLibrary  Reason = "missing library"
	Unresolved      Reason = "unresolved symbol"
	Sanitizer       Reason = "sanitizer build"
	NoMain          Reason = "no main"
	TLSTooLarge     Reason = "too much thread-local storage"
	BadDirectory    Reason = "unusable directory"
	OtherMPI        Reason = "other MPI"
	TooManyMappings Reason = "too many mappings"
)

// Refusal is a program that cannot be run as virtual ranks: which file, why, and what its owner can do
// about it. It is the user's to read, so Error is one clear line.
type Refusal struct {
	File   string
	Reason Reason
	What   string // what was found in the file
	Way    string // the way out
}

// Error joins file, finding and way out.
func (r *Refusal) Error() string {
	if r.Way == "" {
		return r.File + ": " + r.What
	}
	return r.File + ": " + r.What + "; " + r.Way
}

const (
	wayPIE      = "rebuild it with ampicc, or with -fPIE -pie"
	wayDynamic  = "rebuild it with ampicc, or without -static"
	wayTarget   = "rebuild it for x86-64 Linux"
	wayDamaged  = "rebuild or reinstall it, the file is damaged"
	waySanitize = "rebuild it without -fsanitize"
	wayPIC      = "rebuild it with -fPIC and without -z notext"
)

// malformed refuses a file whose own tables contradict each other or its size.
func malformed(file, format string, args ...any) *Refusal {
	return &Refusal{File: file, Reason: Malformed, What: fmt.Sprintf(format, args...), Way: wayDamaged}
}
