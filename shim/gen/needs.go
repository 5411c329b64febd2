package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// need is a pointer argument that has to point somewhere, or an info object that has to be one.
type need struct {
	name   string
	count  string // it may be NULL when this argument is not positive; "" for never
	isInfo bool
}

// mayBeNull are kinds of parameters for which a null pointer means something, or whose check needs more than the other arguments.
var mayBeNull = map[string]bool{
	"BUFFER": true, "C_BUFFER3": true, "C_BUFFER4": true, "ERROR_CODE": true, "WEIGHT": true,
	"ARGUMENT_COUNT": true, "ARGUMENT_LIST": true, "EXTRA_STATE": true, "F90_STATUS": true, "F08_STATUS": true,
	"STRING_2DARRAY": true,
}

// needsOf lists the arguments of p that the runtime would read or write through, from the lengths and directions in the standard.
// Buffers of data, and arrays whose length depends on more than an argument, are the functions' own to check.
func needsOf(std *standard, p prototype) (needs []need) {
	if strings.HasPrefix(p.Name, "MPI_T_") {
		return nil // their pointers may all be null
	}
	params, procedure := cParams(p), std.Procedures[strings.TrimSuffix(p.Name, "_c")]
	if len(params) < len(procedure) { // the form without large counts
		procedure = slices.DeleteFunc(slices.Clone(procedure), func(a apiParam) bool { return strings.Contains(a.Name, "large_counts") })
	}
	if len(params) != len(procedure) {
		return nil // its C form is one of its own
	}
	if slices.ContainsFunc(params, raisesItself) {
		return nil
	}
	for i, a := range procedure {
		a.Name = params[i].Name // C says "indx"
		if params[i].Type == "MPI_Info" && !strings.HasPrefix(p.Name, "MPI_Info_") {
			needs = append(needs, need{name: a.Name, isInfo: true})
		}
		if n, ok := needOf(a, params); ok && params[i].Stars > 0 && !mayBeNull[a.Kind] {
			needs = append(needs, n)
		}
	}
	return needs
}

// raisesItself says that errors go to the handler of a session, or to one among the arguments, which has to be looked at first.
func raisesItself(c cParam) bool {
	return c.Stars == 0 && (c.Type == "MPI_Session" || c.Type == "MPI_Errhandler")
}

func needOf(a apiParam, params []cParam) (need, bool) {
	length := strings.TrimSuffix(strings.TrimPrefix(a.Length, "["), ", 3]")
	isText := a.Kind == "STRING"
	switch {
	case isText && strings.Contains(a.Dir, "out"):
		return need{name: a.Name}, strings.HasPrefix(length, "MPI_MAX_")
	case a.Kind == "STATUS": // a result may be ignored
		return need{name: a.Name}, length == "-" && a.Dir != "out"
	case length == "-":
		return need{name: a.Name}, isText || strings.Contains(a.Dir, "out")
	}
	for _, c := range params {
		if c.Name == length && c.Stars == 0 {
			return need{name: a.Name, count: length}, true
		}
	}
	return need{}, false
}

// writeNeeds writes the checks at the beginning of a function.
func writeNeeds(w io.Writer, p prototype, needs []need) {
	for _, n := range needs {
		if n.isInfo {
			fmt.Fprintf(w, "    if (unlikely(%[1]s != MPI_INFO_NULL && ampi_check_info(AMPI_FN_%[2]s, %[3]s, %[1]s)))\n        return MPI_ERR_INFO;\n", n.name, p.Name, commOf(p))
			continue
		}
		condition := "!" + n.name
		if n.count != "" {
			condition += " && " + n.count + " > 0"
		}
		fmt.Fprintf(w, "    if (unlikely(%s))\n        return ampi_null_argument(AMPI_FN_%s, %s, %q);\n", condition, p.Name, commOf(p), n.name)
	}
}

// commOf is the communicator among the arguments of p, as a number.
func commOf(p prototype) string {
	for _, c := range cParams(p) {
		if c.Type == "MPI_Comm" {
			return "(uintptr_t)" + c.Name
		}
	}
	return "0"
}

// writeCheck writes the function that checks arguments before the C core has them.
func writeCheck(w io.Writer, p prototype, needs []need) {
	var names []string
	for _, c := range cParams(p) {
		names = append(names, c.Name)
	}
	fmt.Fprintf(w, "\nstatic %s\n{\n", declare(p, checkName(p)))
	writeNeeds(w, p, needs)
	fmt.Fprintf(w, "    return %s(%s);\n}\n", coreName(p), strings.Join(names, ", "))
}

func checkName(p prototype) string { return "check_" + strings.TrimPrefix(p.Name, "MPI_") }
