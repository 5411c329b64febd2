package main

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"strings"
)

// cParam is one parameter of a C prototype, taken apart.
type cParam struct {
	Decl  string // as declared: "const int displs[]"
	Type  string // without the name: "const int *"
	Name  string
	Stars int // levels of pointer, an array counts as one
}

var paramPattern = regexp.MustCompile(`^(.*?)(\w+)((?:\[\d*\])*)$`)

// cParams takes the parameter list of p apart; varargs are left out, see variadic.
func cParams(p prototype) []cParam {
	if p.Params == "void" {
		return nil
	}
	var params []cParam
	for _, decl := range strings.Split(p.Params, ", ") {
		if decl != "..." {
			params = append(params, parseParam(decl))
		}
	}
	return params
}

func parseParam(decl string) cParam {
	m := paramPattern.FindStringSubmatch(decl)
	if m == nil {
		panic(fmt.Sprintf("BUG: cannot parse parameter %q", decl))
	}
	typ := strings.TrimSpace(m[1])
	stars := strings.Count(typ, "*")
	if m[3] != "" {
		stars++
		typ += " *"
	}
	return cParam{Decl: decl, Type: typ, Name: m[2], Stars: stars}
}

// base is the type that is left when const and pointers are taken away: "MPI_Comm".
func (c cParam) base() string {
	t := strings.TrimPrefix(c.Type, "const ")
	return strings.TrimRight(t, " *")
}

// declare prints p as a declaration of the given name.
func declare(p prototype, name string) string {
	return fmt.Sprintf("%s %s(%s)", p.Result, name, p.Params)
}

// tableHash is FNV-1a 64 over the list of names and prototypes: two builds with the same hash agree
// on the meaning of every slot of the function table.
func tableHash(prototypes []prototype) uint64 {
	h := fnv.New64a()
	for _, p := range prototypes {
		fmt.Fprintf(h, "%s:%s\n", p.Name, declare(p, p.Name))
	}
	return h.Sum64()
}
