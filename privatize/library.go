// Package privatize turns one program file into many private images: program, shared libraries and C library, each with
// its own globals.
package privatize

// Library is a shared library that a program needs: the name it asks for and the file that was found for it.
type Library struct{ Name, Path string }
