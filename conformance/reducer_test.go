package conformance

import "testing"

// TestReducers checks what functions of the program may do that combine data in the background, as their rank but maybe
// while it sleeps: calls that do not wait, with its own thread-local variables; and that others end the job clearly.
func TestReducers(t *testing.T) {
	t.Parallel()
	type reducer struct {
		does string
		code int
		says string
	}
	rows := []reducer{
		{"nothing", 0, "PASS reducers"},
		{"served", 0, "PASS reducers"},
		{"sleep", 0, "PASS reducers"},
		{"recv", 2, "a function that the program gave to MPI_Op_create or AMPI_Rpc calls something that waits"},
		{"barrier", 2, "a function that the program gave to MPI_Op_create or AMPI_Rpc calls something that waits"},
		{"exit", 5, "a function that the program gave to MPI_Op_create ends its rank with code 5"},
		{"abort", 9, "called MPI_Abort with code 9"},
		{"fault", 139, "SIGSEGV at address 0x0 in misbehave()"},
	}
	each(t, rows, func(r reducer) string { return r.does }, func(t *testing.T, r reducer) {
		for _, workers := range []int{1, 2} {
			result := job{program: program(t, ownDir+"/reducers.c"), args: []string{r.does}, workers: workers, ranks: 5}.run(t)
			result.expectCode(t, r.code)
			result.expectSays(t, r.says)
		}
	})
}
