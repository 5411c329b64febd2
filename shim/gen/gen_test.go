package main

import "testing"

func TestParseParam(t *testing.T) {
	for decl, want := range map[string]cParam{
		"int count":                {Type: "int", Name: "count"},
		"const void *buf":          {Type: "const void *", Name: "buf", Stars: 1},
		"const int displs[]":       {Type: "const int *", Name: "displs", Stars: 1},
		"int ranges[][3]":          {Type: "int *", Name: "ranges", Stars: 1},
		"char **array_of_argv[]":   {Type: "char ** *", Name: "array_of_argv", Stars: 3},
		"MPI_Request *request":     {Type: "MPI_Request *", Name: "request", Stars: 1},
		"const MPI_Status *status": {Type: "const MPI_Status *", Name: "status", Stars: 1},
	} {
		want.Decl = decl
		if got := parseParam(decl); got != want {
			t.Errorf("%q is %+v, want %+v", decl, got, want)
		}
	}
}

func TestBaseType(t *testing.T) {
	for decl, want := range map[string]string{"const MPI_Datatype types[]": "MPI_Datatype", "char ***argv": "char", "int n": "int"} {
		if got := parseParam(decl).base(); got != want {
			t.Errorf("%q has base %q, want %q", decl, got, want)
		}
	}
}

func TestFortranValues(t *testing.T) {
	known := map[string]fConstant{"MPI_LONG_LONG": {"MPI_LONG_LONG", "integer", "523", "MPI_Datatype"}}
	for _, c := range []struct {
		name, value string
		ftype, want string
		handle      string
		ok          bool
	}{
		{"MPI_COMM_WORLD", "((MPI_Comm)0x00000101)", "integer", "257", "MPI_Comm", true},
		{"MPI_ANY_TAG", "-2", "integer", "-2", "", true},
		{"MPI_LONG_LONG_INT", "MPI_LONG_LONG", "integer", "523", "MPI_Datatype", true},
		{"MPI_MAX_PORT_NAME", "1024", "integer", "1023", "", true},
		{"MPI_MAX", "((MPI_Op)0x00000023)", "integer", "35", "MPI_Op", true},
		{"MPI_DISPLACEMENT_CURRENT", "((MPI_Offset)-1)", "integer(kind=8)", "-1", "", true},
		{"MPI_BOTTOM", "((void*)0)", "integer", "", "", false},
		{"MPI_COMM_DUP_FN", "((MPI_Comm_copy_attr_function*)0x1)", "integer", "", "", false},
	} {
		f, ok := fortranConstant(constant{c.name, c.value}, known)
		if want := (fConstant{c.name, c.ftype, c.want, c.handle}); f != want || ok != c.ok {
			t.Errorf("%s is %v %v, want %v %v", c.name, f, ok, want, c.ok)
		}
	}
}

// The hash guards the table: another order, name or parameter has to change it.
func TestHashSeesEveryPrototype(t *testing.T) {
	base := []prototype{{"MPI_A", "int", "void"}, {"MPI_B", "int", "int n"}}
	seen := map[uint64]bool{tableHash(base): true}
	for _, list := range [][]prototype{
		{base[1], base[0]}, base[:1], {base[0], {"MPI_B", "int", "MPI_Aint n"}}, {base[0], {"MPI_C", "int", "int n"}},
		{base[0], {"MPI_B", "double", "int n"}},
	} {
		if h := tableHash(list); seen[h] {
			t.Errorf("%v has the hash of another list", list)
		} else {
			seen[h] = true
		}
	}
}
