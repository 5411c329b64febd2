"""What people type."""


class InfoRanks(gdb.Command):
    """List the ranks of this worker: what each does or waits for, and where in the program.
Usage: info ranks [LIST], LIST for example 0-3,7; also names ranks of other workers."""

    def __init__(self):
        super().__init__("info ranks", gdb.COMMAND_STATUS)

    def invoke(self, text, from_tty):
        w = worker()
        ranks = [w.rank(n) for n in parse_list(text, w.ranks)] if text.strip() else w.mine()
        before = shown
        with Kept():
            for r in ranks:
                self.row(w, r, before)

    def row(self, w, r, before):
        running = r.is_mine() and r.state != ENDED and r.holds(w.registers()[0])
        what = "running" if running and r.state != FAULTED else r.describe()
        where = ""
        if r.is_mine() and w.is_loaded(r) and r.state != ENDED and not r.is_new():
            show(w, r)
            where = ", " + place(program_frame(w, r))
        mark = "*" if (before and before.rank == r.id) or (not before and running) else " "
        gdb.write("%s rank %-5d PE %-3d %s%s\n" % (mark, r.id, number(r.block["pe"]), what, where))


class Kept:
    """Brings thread, shown rank and frame back at the end of a with statement."""

    def __enter__(self):
        self.thread, self.shown = gdb.selected_thread(), shown
        self.level = gdb.selected_frame().level() if self.thread else 0

    def __exit__(self, *_):
        global shown
        shown = self.shown
        gdb.invalidate_cached_frames()
        if self.thread and self.thread.is_valid():
            self.thread.switch()
            quietly("frame %d" % self.level)


class RankCommand(gdb.Command):
    """Show a rank: bt, frame, info locals and print then speak of it, with its own copies of variables.
Usage: rank N          show rank N
       rank            say which rank is shown
       rank thread     go back to what the PE thread itself does
       rank load LIST  load the symbols of these ranks, for breakpoints (all: of every one)
       rank break N LOCATION       set a breakpoint for one rank
       rank apply LIST COMMAND     run a command for each of these ranks (all: for every one)
       rank core FILE  write a core file of this worker with its ranks' memory"""

    def __init__(self):
        super().__init__("rank", gdb.COMMAND_STACK, gdb.COMPLETE_NONE, True)

    def invoke(self, text, from_tty):
        w = worker()
        if not text.strip():
            return self.tell(w)
        numbers = parse_list(text, w.ranks)
        if len(numbers) != 1:
            raise gdb.GdbError("rank takes one number; rank apply takes lists")
        enter(w, numbers[0])
        gdb.write("[%s]\n" % heading(w.rank(numbers[0])))
        gdb.execute("frame")

    def tell(self, w):
        r = w.rank(shown.rank) if shown else w.rank_at(w.registers()[0])
        gdb.write("[%s]\n" % (heading(r) if r else "the PE thread runs no rank"))


def heading(rank):
    return "rank %d: %s" % (rank.id, rank.describe())


def enter(w, n):
    """Show rank n, and select its innermost frame of the program."""
    rank = w.rank(n)
    show(w, rank)  # or say why not
    show(w, None)  # gdb does not like symbols to change below a stack of ours
    gdb.newest_frame().select()
    w.load([], rank)
    rank = w.rank(n)
    show(w, rank)
    program_frame(w, rank).select()


class Sub(gdb.Command):
    """A command behind rank."""

    def __init__(self, name):
        super().__init__("rank " + name, gdb.COMMAND_STACK)


class RankThread(Sub):
    """Go back to what the PE thread itself does."""

    def invoke(self, text, from_tty):
        show(worker(), None)
        gdb.execute("frame")


class RankLoad(Sub):
    """Load the symbols of ranks, so that breakpoints are set in them. Usage: rank load LIST (all: of every one)."""

    def invoke(self, text, from_tty):
        w = worker()
        mine = [r.id for r in w.mine()]
        wanted = [n for n in parse_list(text, w.ranks) if n in mine]
        with Kept():
            w.load(wanted, w.order_first() or w.rank((wanted or mine)[0]))
        gdb.write("symbols of %d ranks are loaded\n" % len(w.loaded))


class RankApply(Sub):
    """Run a command for ranks. Usage: rank apply LIST COMMAND (all: for every one of this worker)."""

    def invoke(self, text, from_tty):
        w = worker()
        which, _, command = text.strip().partition(" ")
        mine = [r.id for r in w.mine()]
        with Kept():
            for n in [n for n in parse_list(which, w.ranks) if n in mine]:
                gdb.write("\n[%s]\n" % heading(w.rank(n)))
                try:
                    enter(w, n)
                    gdb.execute(command)
                except gdb.error as e:
                    gdb.write("%s\n" % e)


class RankBreak(Sub):
    """Set a breakpoint for one rank. Usage: rank break N LOCATION."""

    def invoke(self, text, from_tty):
        w = worker()
        which, _, location = text.strip().partition(" ")
        rank = w.rank(parse_list(which, w.ranks)[0])
        with Kept():
            w.load([rank.id], rank)
        places = gdb.decode_line(location)[1] or ()
        own = [p.pc for p in places if rank.holds(p.pc)]
        if not own:
            raise gdb.GdbError("%s: no such place in rank %d" % (location, rank.id))
        for pc in own:
            gdb.execute("break *%#x" % pc)


class RankCore(Sub):
    """Write a core file of this worker with the memory that its ranks have touched. Usage: rank core FILE."""

    def invoke(self, text, from_tty):
        if not text.strip():
            raise gdb.GdbError("rank core FILE: where shall it go?")
        worker().pe_thread().switch()
        with Settings(language="c"):
            gdb.execute("call (void) vr_core_prepare()")
        gdb.execute("gcore " + text)


class RankOf(gdb.Function):
    """$rank(): the rank that is shown or that the selected thread runs, -1 for none; for conditions of breakpoints."""

    def __init__(self):
        super().__init__("rank")

    def invoke(self):
        w = workers.get(gdb.current_progspace()) or worker()
        if shown:
            return shown.rank
        n = (number(gdb.selected_frame().read_register("rsp")) - w.slices) // w.slice_size
        return n if 0 <= n < w.ranks else -1


class Mine(gdb.Function):
    """$mine(&variable): the same variable's address in the rank that runs; for conditions of breakpoints, where names of
    other source files mean the variables of the rank that was shown last."""

    def __init__(self):
        super().__init__("mine")

    def invoke(self, pointer):
        w = workers.get(gdb.current_progspace()) or worker()
        other, own = w.rank_at(number(pointer)), w.rank_at(number(gdb.selected_frame().read_register("rsp")))
        if not other or not own:
            return pointer
        return gdb.Value(number(pointer) - other.images + own.images).cast(pointer.type)


# ---- what happens while gdb runs ----


def on_continue(_):
    global shown
    shown = None


def on_stop(_):
    """A rank has stopped: its variables are the ones that names mean now."""
    w = workers.get(gdb.current_progspace())
    if not w or not gdb.selected_thread():
        return
    r = w.rank_at(number(gdb.newest_frame().read_register("rsp")))
    if r and r.is_mine():
        if len(w.loaded | {r.id}) > SWITCH_AT_STOP and w.order_first().id != r.id:
            gdb.write("[rank %d: names mean rank %d's variables until you say: rank %d]\n" % (r.id, w.order_first().id, r.id))
            return
        w.load([], r)
        gdb.write("[%s]\n" % heading(w.rank(r.id)))


def on_breakpoint(b):
    """Names of the program that the runtime happens to have too are not meant."""
    w = workers.get(gdb.current_progspace())
    if not w or not b.is_valid() or not b.visible or not hasattr(b, "locations") or b.type != gdb.BP_BREAKPOINT:
        return
    foreign = [l for l in b.locations if l.address is not None and l.address < w.slices]
    if len(foreign) < len(b.locations):
        for l in foreign:
            if l.enabled:
                l.enabled = False


def attach():
    """The inferior is a worker: give gdb its ranks."""
    for signal in ("SIGURG", "SIGCONT", "SIG59", "SIG60", "SIG61"):  # the Go runtime's and ours
        quietly("handle %s nostop noprint pass" % signal)
    w = worker()
    mine = w.mine()
    if not mine:
        gdb.write("ampirun: this worker has no ranks yet\n")
        return
    running = w.rank_at(w.registers()[0])
    w.load([r.id for r in mine[:LOAD_AT_ONCE]], running if running and running.is_mine() else mine[0])
    gdb.write("ampirun: worker %d of %d with %d of %d ranks; symbols of %d are loaded (rank load); see help rank, info ranks\n"
              % (w.pe, w.pes, len(mine), w.ranks, len(w.loaded)))


# ---- ampirun --gdb ----


class Go(gdb.Command):
    """The ranks are there and wait for this: let them run."""

    def __init__(self, name, stop):
        super().__init__(name, gdb.COMMAND_RUNNING)
        self.stop = stop

    def invoke(self, text, from_tty):
        if text.strip():
            raise gdb.GdbError("the program's arguments are those that ampirun has been given")
        if self.stop:
            gdb.execute("tbreak main")
        gdb.execute("continue")


def begin(pids):
    """Attach to the workers of a job that waits for a debugger, each an inferior of its own."""
    with Settings(confirm="off"):
        quietly("set auto-load python-scripts off")  # the Go runtime's own are about goroutines
        quietly("set schedule-multiple on")
        for i, pid in enumerate(pids):
            if i:
                quietly("add-inferior")
                quietly("inferior %d" % (i + 1))
            quietly("attach %d" % pid)
            attach()
            ready = worker().symbol("vr_debugger_ready").address
            gdb.selected_inferior().write_memory(number(ready), (1).to_bytes(4, "little"))
        if len(pids) > 1:
            quietly("inferior 1")
        worker().pe_thread().switch()
    for name, stop in (("run", False), ("start", True)):
        Go(name, stop)
    gdb.write("the ranks wait before their first function: set breakpoints, then run\n")


def setup():
    gdb.unwinder.register_unwinder(None, RankUnwinder(), replace=True)
    HideInnermost()
    for command in (InfoRanks, RankCommand, RankOf, Mine):
        command()
    for name, command in (("thread", RankThread), ("load", RankLoad), ("apply", RankApply), ("break", RankBreak), ("core", RankCore)):
        command(name)
    gdb.events.cont.connect(on_continue)
    gdb.events.stop.connect(on_stop)
    gdb.events.breakpoint_created.connect(on_breakpoint)
    gdb.events.breakpoint_modified.connect(on_breakpoint)
    if gdb.selected_thread():
        attach()


setup()
