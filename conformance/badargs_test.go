package conformance

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// parameter is a parameter of an MPI function: what the standard says of it, and its C declaration.
type parameter struct {
	name, kind, direction, length string
	ctype                         string // without the name; arrays are pointers
}

func (p parameter) isPointer() bool { return strings.HasSuffix(p.ctype, "*") }
func (p parameter) isOut() bool     { return strings.Contains(p.direction, "out") }

// signature is an MPI function with what the standard says of its parameters.
type signature struct {
	name       string
	parameters []parameter
}

// signatures lists the functions with an error code whose C and neutral parameters correspond one to one.
func signatures(t *testing.T) (all []signature) {
	t.Helper()
	neutral := map[string][]parameter{}
	for _, f := range dataLines(t, "api.tsv") {
		if f[1] != "-" {
			neutral[f[0]] = append(neutral[f[0]], parameter{name: f[1], kind: f[2], direction: strings.ToLower(f[3]), length: f[5]})
		}
	}
	for _, f := range dataLines(t, "c-prototypes.tsv") {
		params := slices.Clone(neutral[strings.TrimSuffix(f[0], "_c")])
		declarations := strings.Split(f[2], ", ")
		if f[1] != "int" || strings.HasPrefix(f[0], "MPI_T_") || len(params) != len(declarations) {
			continue
		}
		for i, d := range declarations {
			params[i].ctype = ctypeOf(d)
		}
		all = append(all, signature{f[0], params})
	}
	return all
}

// ctypeOf takes the name off a declaration: "const int displs[]" is "const int *".
func ctypeOf(declaration string) string {
	array := strings.Contains(declaration, "[")
	declaration, _, _ = strings.Cut(declaration, "[")
	end := strings.LastIndexAny(declaration, " *") + 1
	ctype := strings.TrimSpace(declaration[:end])
	if array {
		ctype += " *"
	}
	return ctype
}

func dataLines(t *testing.T, name string) (lines [][]string) {
	t.Helper()
	text, err := os.ReadFile(root + "/shim/data/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, strings.Split(line, "\t"))
		}
	}
	return lines
}

// good is an argument that nothing is wrong with, in the variables of badargs.c.in.
func (p parameter) good() string {
	base := strings.TrimSpace(strings.Trim(strings.TrimPrefix(p.ctype, "const "), "* "))
	switch {
	case strings.Contains(p.ctype, "_function"):
		return "(void *)function"
	case p.kind == "STATUS":
		return "statuses"
	case p.name == "insize" || p.name == "outsize":
		return "4096"
	case p.name == "datarep":
		return `"external32"`
	case p.kind == "STRING" && !p.isOut():
		return `"text"`
	case p.isPointer() && strings.HasPrefix(base, "MPI_") && handles[base] != nil:
		return strings.ToLower(base[4:]) + "s"
	case p.name == "ranges":
		return "(int (*)[3])zeros"
	case p.isPointer() && base == "int" && strings.HasPrefix(p.kind, "RANK"):
		return "zeros"
	case p.isPointer() && base == "int":
		return "ints"
	case p.isPointer() && (base == "MPI_Count" || base == "MPI_Aint" || base == "MPI_Offset"):
		return "wides"
	case p.isPointer():
		return "(void *)memory"
	case handles[base] != nil:
		return handles[base].good
	case p.kind == "KEYVAL":
		return "keyval"
	case strings.HasPrefix(p.kind, "RANK") || p.kind == "ASSERT" || p.kind == "TAG" || p.kind == "COLOR" || p.kind == "KEY":
		return "0"
	}
	return "1"
}

// handle is a type of handle: a good one, the class of bad ones, and those that name nothing.
type handle struct {
	good, class string
	bad         []string
}

var handles = map[string]*handle{
	"MPI_Comm":       {"comm", "MPI_ERR_COMM", []string{"MPI_COMM_NULL", "freed_comm", "(MPI_Comm)MPI_INT"}},
	"MPI_Datatype":   {"MPI_INT", "MPI_ERR_TYPE", []string{"MPI_DATATYPE_NULL", "freed_type", "(MPI_Datatype)MPI_COMM_WORLD"}},
	"MPI_Group":      {"group", "MPI_ERR_GROUP", []string{"MPI_GROUP_NULL", "freed_group", "(MPI_Group)MPI_INT"}},
	"MPI_Op":         {"MPI_SUM", "MPI_ERR_OP", []string{"MPI_OP_NULL", "freed_op", "(MPI_Op)MPI_INT"}},
	"MPI_Info":       {"info", "MPI_ERR_INFO", []string{"freed_info", "(MPI_Info)MPI_INT"}},
	"MPI_Errhandler": {"MPI_ERRORS_RETURN", "MPI_ERR_ERRHANDLER", []string{"MPI_ERRHANDLER_NULL", "freed_errhandler", "(MPI_Errhandler)MPI_INT"}},
	"MPI_Request":    {"MPI_REQUEST_NULL", "MPI_ERR_REQUEST", []string{"(MPI_Request)MPI_INT"}},
	"MPI_Message":    {"MPI_MESSAGE_NO_PROC", "MPI_ERR_REQUEST", []string{"(MPI_Message)MPI_INT"}},
	"MPI_Win":        {"win", "MPI_ERR_WIN", []string{"MPI_WIN_NULL", "freed_win", "(MPI_Win)MPI_INT"}},
	"MPI_File":       {"MPI_FILE_NULL", "MPI_ERR_FILE", nil},
	"MPI_Session":    {"session", "MPI_ERR_SESSION", []string{"MPI_SESSION_NULL", "(MPI_Session)MPI_INT"}},
}

// anyHandle are numbers that are no handle of any kind.
var anyHandle = []string{"0xdeadbeef", "7", "-1", "0x7fffffffffff"}

// wrong is a wrong value of an argument and the classes that the standard has for it.
type wrong struct {
	value   string
	classes []string
}

// wrongs lists what may be wrong with one argument of a function.
func (s signature) wrongs(p parameter) (all []wrong) {
	base := strings.TrimSpace(strings.TrimPrefix(p.ctype, "const "))
	if h := handles[base]; h != nil {
		return h.wrongs(base)
	}
	pointed := strings.TrimSpace(strings.TrimSuffix(base, "*"))
	if h := handles[pointed]; h != nil && p.direction == "inout" && p.length == "-" {
		for _, w := range h.wrongs(pointed) {
			all = append(all, wrong{fmt.Sprintf("(%s[]){%s}", pointed, w.value), w.classes})
		}
	}
	scalar := p.length == "-" && !strings.HasPrefix(p.kind, "C_BUFFER") && !strings.HasPrefix(p.kind, "BUFFER")
	switch {
	case p.isPointer() && p.isOut() && scalar && !slices.Contains([]string{"STATUS", "STRING", "EXTRA_STATE", "ARGUMENT_LIST", "ARGUMENT_COUNT", "ERROR_CODE"}, p.kind):
		all = append(all, wrong{"NULL", []string{"MPI_ERR_ARG"}})
	case p.kind == "STATUS" && p.length == "-" && p.direction != "out":
		all = append(all, wrong{"NULL", []string{"MPI_ERR_ARG"}})
	case p.kind == "BUFFER" && p.isPointer():
		all = append(all, wrong{"NULL", []string{"MPI_ERR_BUFFER", "MPI_ERR_ARG"}})
	case p.kind == "STRING" && !p.isOut():
		all = append(all, wrong{"NULL", []string{"MPI_ERR_ARG"}})
	case p.isPointer():
	case p.name == "root":
		all = append(all, wrong{"99", []string{"MPI_ERR_ROOT"}}, wrong{"-77", []string{"MPI_ERR_ROOT"}})
	case p.kind == "RANK":
		all = append(all, wrong{"99", []string{"MPI_ERR_RANK"}}, wrong{"-77", []string{"MPI_ERR_RANK"}})
	case p.kind == "TAG":
		all = append(all, wrong{"-55", []string{"MPI_ERR_TAG"}})
	case p.kind == "KEYVAL":
		all = append(all, wrong{"MPI_KEYVAL_INVALID", []string{"MPI_ERR_KEYVAL"}}, wrong{"0x7abcdef", []string{"MPI_ERR_KEYVAL"}})
	case p.name == "ndims":
		all = append(all, wrong{"-1", []string{"MPI_ERR_DIMS", "MPI_ERR_ARG"}})
	case strings.Contains(p.kind, "NUM_ELEM") || strings.HasPrefix(p.kind, "ARRAY_LENGTH"):
		all = append(all, wrong{"-1", []string{"MPI_ERR_COUNT", "MPI_ERR_ARG"}})
	}
	return all
}

func (h *handle) wrongs(ctype string) (all []wrong) {
	if h.bad == nil {
		return nil // there are none yet
	}
	for _, v := range h.bad {
		all = append(all, wrong{v, []string{h.class}})
	}
	for _, v := range anyHandle {
		all = append(all, wrong{fmt.Sprintf("(%s)(intptr_t)%s", ctype, v), []string{h.class}})
	}
	return all
}

// lawful are arguments that look wrong and are not, or whose errors other tests look for: by function, parameter or value.
var lawful = map[string]string{
	"MPI_Abort":                                      "ends the job all the same",
	"MPI_Win_get_name.win = MPI_WIN_NULL":            "it has a name",
	"MPI_Win_attach.base":                            "the window is not a dynamic one",
	"MPI_Win_detach.base":                            "the window is not a dynamic one",
	"MPI_Status_set_source":                          "every number is a source",
	"MPI_Status_set_tag":                             "every number is a tag",
	"MPI_Alltoallw_c.sendbuf":                        "displacements may be absolute addresses",
	"MPI_Alltoallw_c.recvbuf":                        "displacements may be absolute addresses",
	"MPI_Free_mem.base":                              "freeing nothing is nothing",
	"MPI_Get_address.location":                       "MPI_BOTTOM has an address",
	"MPI_Buffer_attach.buffer":                       "messages are kept elsewhere",
	"MPI_Buffer_attach_c.buffer":                     "messages are kept elsewhere",
	"MPI_Mrecv.buf":                                  "there is no message",
	"MPI_Mrecv_c.buf":                                "there is no message",
	"MPI_Imrecv.buf":                                 "there is no message",
	"MPI_Imrecv_c.buf":                               "there is no message",
	"MPI_Comm_get_name.comm = MPI_COMM_NULL":         "it has a name",
	"MPI_Type_get_name.datatype = MPI_DATATYPE_NULL": "it has a name",
	"MPI_Alltoallw_init_c.sendbuf":                   "displacements may be absolute addresses",
	"MPI_Alltoallw_init_c.recvbuf":                   "displacements may be absolute addresses",
	"MPI_Ialltoallw_c.sendbuf":                       "displacements may be absolute addresses",
	"MPI_Ialltoallw_c.recvbuf":                       "displacements may be absolute addresses",
	"MPI_Neighbor_alltoallw.sendbuf":                 "displacements are absolute addresses",
	"MPI_Neighbor_alltoallw.recvbuf":                 "displacements are absolute addresses",
	"MPI_Pready_list.length":                         "there is no partitioned request",
	"MPI_Session_attach_buffer.buffer":               "there is no session",
	"MPI_Session_set_errhandler.errhandler":          "there is no session",
	".stride":                                        "may be negative",
	"MPI_Comm_remote_group.group":                    "the communicator is not an intercommunicator",
}

// badCalls writes every call with one wrong argument.
func badCalls(t *testing.T) string {
	served, _ := coverage(t)
	var text strings.Builder
	for _, s := range signatures(t) {
		if !slices.Contains(served, s.name) || lawful[s.name] != "" {
			continue
		}
		for i, p := range s.parameters {
			if lawful[s.base()+"."+p.name] != "" || lawful[s.name+"."+p.name] != "" || lawful["."+p.name] != "" {
				continue
			}
			for _, w := range s.wrongs(p) {
				if lawful[s.name+"."+p.name+" = "+w.value] != "" {
					continue
				}
				fmt.Fprintf(&text, "\tTRY(%q, %s, %s);\n", s.name+": "+p.name+" = "+w.value, s.call(i, w.value), strings.Join(append(w.classes, "0")[:2], ", "))
			}
		}
	}
	return text.String()
}

// call writes a call with one wrong argument.
func (s signature) call(at int, value string) string {
	var args []string
	for i, p := range s.parameters {
		if i == at {
			args = append(args, value)
		} else if p.ctype == "MPI_Comm" {
			args = append(args, s.communicator())
		} else {
			args = append(args, p.good())
		}
	}
	return s.name + "(" + strings.Join(args, ", ") + ")"
}

// base is the blocking function, with int counts, that the function is a form of.
func (s signature) base() string {
	name := strings.TrimSuffix(strings.TrimSuffix(s.name, "_c"), "_init")
	return strings.Replace(strings.Replace(name, "MPI_Ineighbor", "MPI_Neighbor", 1), "MPI_Ialltoallw", "MPI_Alltoallw", 1)
}

// communicator is one that the function works on, in the variables of badargs.c.in.
func (s signature) communicator() string {
	is := func(part string) bool { return strings.Contains(s.name, part) }
	switch {
	case is("_create") || is("_map"):
		return "comm"
	case is("Dist_graph"):
		return "dist"
	case is("MPI_Graph"):
		return "graph"
	case is("eighbor") || is("MPI_Cart"):
		return "cart"
	}
	return "comm"
}

// TestBadArguments calls every served function with each of its arguments wrong in several ways, all in one process: each call
// must fail with the error class of the standard, and none may harm those that follow.
func TestBadArguments(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(ownDir + "/badargs.c.in")
	if err != nil {
		t.Fatal(err)
	}
	path := programOf(t, "badargs.c", strings.Replace(string(text), "@CALLS@", badCalls(t), 1))
	for _, workers := range []int{1, 2} {
		r := job{program: path, workers: workers, ranks: workers}.run(t)
		r.expectCode(t, 0)
		r.expectSays(t, "PASS badargs\n")
	}
}
