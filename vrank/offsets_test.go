package vrank_test

import (
	"testing"

	"ampirun/vrank/internal/coretest"
)

type offsets map[string]coretest.Offset

func readOffsets() offsets {
	all := offsets{}
	for _, o := range coretest.Offsets() {
		all[o.Object+"."+o.Field] = o
	}
	return all
}

func (o offsets) of(t *testing.T, name string) coretest.Offset {
	t.Helper()
	f, ok := o[name]
	if !ok {
		t.Fatalf("the harness does not list %s", name)
	}
	return f
}

// within checks that fields lie in [lo, hi) of their object.
func (o offsets) within(t *testing.T, lo, hi uint64, names ...string) {
	t.Helper()
	for _, name := range names {
		if f := o.of(t, name); f.Offset < lo || f.Offset+f.Size > hi {
			t.Errorf("%s is [%d,%d), should lie in [%d,%d)", name, f.Offset, f.Offset+f.Size, lo, hi)
		}
	}
}

const line = 64

// What a switch reads and writes of a rank is in the first line of its control block.
func TestOffsetsOfSwitch(t *testing.T) {
	o := readOffsets()
	o.within(t, 0, line, "vr_rank.id", "vr_rank.context.state", "vr_rank.context.sp", "vr_rank.context.run_next", "vr_rank.context.rank", "vr_rank.switches")
	o.within(t, 0, line, "vr_rank.heap", "vr_rank.slice") // malloc and faults
}

// Fields that other workers write share no line with what the owner uses without being asked.
func TestOffsetsOfSharedLines(t *testing.T) {
	o := readOffsets()
	for _, c := range []struct {
		first  string // of its line
		with   []string
		before []string // the owner's
		after  []string
	}{
		{"vr_rank.inbox", []string{"vr_rank.pe", "vr_rank.on_wake", "vr_rank.wake_next"}, []string{"vr_rank.context.need", "vr_rank.context.wait", "vr_rank.context.call", "vr_rank.requests"}, []string{"vr_rank.matcher"}},
		{"vr_pe.wake", []string{"vr_pe.inbox"}, []string{"vr_pe.head", "vr_pe.tail", "vr_pe.timers", "vr_pe.budget", "vr_pe.free", "vr_pe.nfree", "vr_pe.pool_next", "vr_pe.switches", "vr_pe.tp"}, []string{"vr_pe.asleep", "vr_pe.freed"}},
		{"vr_pe.asleep", []string{"vr_pe.core", "vr_pe.watched"}, []string{"vr_pe.wake"}, []string{"vr_pe.freed"}},
		{"vr_pe.freed", nil, []string{"vr_pe.watched"}, nil},
		{"vr_job.stop", []string{"vr_job.started", "vr_job.next_context"}, []string{"vr_job.layout", "vr_job.slices"}, []string{"vr_job.idle"}},
		{"vr_job.idle", []string{"vr_job.activity", "vr_job.deadlock"}, nil, []string{"vr_job.arena_lock", "vr_job.pe"}},
	} {
		at := o.of(t, c.first).Offset
		if at%line != 0 {
			t.Errorf("%s at %d does not begin a cache line", c.first, at)
		}
		o.within(t, at, at+line, c.with...)
		o.within(t, 0, at, c.before...)
		o.within(t, at+line, 1<<40, c.after...)
	}
}

// Arrays and neighbours of these objects keep the alignment of the first one.
func TestOffsetsOfWholes(t *testing.T) {
	o := readOffsets()
	for _, name := range []string{"vr_rank", "vr_pe", "vr_job"} {
		whole := o.of(t, name+".")
		if whole.Offset != line || whole.Size%line != 0 {
			t.Errorf("%s has %d bytes aligned to %d", name, whole.Size, whole.Offset)
		}
	}
	if at := o.of(t, "vr_job.pe").Offset; at%line != 0 {
		t.Errorf("the array of PEs begins at %d", at)
	}
	state, near, block := o.of(t, "constants.VR_MPI_STATE").Offset, o.of(t, "constants.VR_NEAR_REQUESTS").Offset, o.of(t, "constants.VR_CONTROL_BLOCK").Offset
	if want := o.of(t, "vr_rank.").Size + state + near*o.of(t, "vr_request.").Size; block != want || state%line != 0 {
		t.Errorf("a control block has %d bytes, its parts have %d; the MPI layer's has %d", block, want, state)
	}
	if a := o.of(t, "vr_request.").Offset; o.of(t, "vr_rank.").Size%a != 0 || state%a != 0 {
		t.Errorf("the first requests are not aligned to %d", a)
	}
	for name, want := range map[string]uint64{"VR_LINE": 64, "VR_COLOURS": 32} { // as layout_test.go has them
		if got := o.of(t, "constants."+name).Offset; got != want {
			t.Errorf("%s is %d", name, got)
		}
	}
}

// Nodes are cast to what they begin; a short message needs one line of its envelope.
func TestOffsetsOfEnvelope(t *testing.T) {
	o := readOffsets()
	for _, first := range []string{"vr_env.node", "vr_request.env", "vr_work.node"} {
		if at := o.of(t, first).Offset; at != 0 {
			t.Errorf("%s is at %d: it cannot be cast to", first, at)
		}
	}
	o.within(t, 0, line, "vr_env.node", "vr_env.source", "vr_env.tag", "vr_env.bytes", "vr_env.inline_data")
	if at := o.of(t, "vr_env.data").Offset; at != 2*line || o.of(t, "vr_env.").Size != 2*line {
		t.Errorf("payload begins at %d of an envelope of %d bytes", at, o.of(t, "vr_env.").Size)
	}
	o.within(t, line, 2*line, "vr_env.bucket_next", "vr_env.arrival_prev")
}

// switch_amd64.S pops a frame in this order.
func TestOffsetsOfFrame(t *testing.T) {
	o := readOffsets()
	want := map[string]uint64{"mxcsr": 0, "fpu_control": 4, "fpu_status": 6}
	for i, r := range []string{"r15", "r14", "r13", "r12", "rbx", "rbp", "rip"} {
		want[r] = 8 + 8*uint64(i)
	}
	for field, at := range want {
		if got := o.of(t, "vr_frame."+field).Offset; got != at {
			t.Errorf("%s is at %d, the assembly has it at %d", field, got, at)
		}
	}
	if size := o.of(t, "vr_frame.").Size; size != 64 {
		t.Errorf("a frame of %d bytes would leave the stack of a new rank misaligned", size)
	}
}
