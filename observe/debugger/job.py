"""gdb commands for jobs of ampirun: ranks, their stacks and their own copies of the program's variables.

A worker is one process whose PE thread runs ranks in turns. Each rank has images of the program and of all libraries at its own
addresses, so gdb gets each image as a symbol file of its own (add-symbol-file -o), whose data gdb shares between copies. A rank
that does not run is shown by an unwinder that puts its saved stack behind the PE thread's frame 0: no register is written, so
that works in core files too.
"""
import os

import gdb
import gdb.frames
import gdb.unwinder

LOAD_AT_ONCE = 16  # so many of a worker's ranks get their symbols without being asked for
SWITCH_AT_STOP = 32  # with symbols of more ranks, names are not made to mean another rank's variables at every stop
SYSTEM = ("/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/")
STATES = ("new", "ready", "running", "waiting", "sleeping", "served by the runtime", "faulted", "ended")
READY, WAITING, FAULTED, ENDED = 1, 3, 6, 7
ANY_SOURCE, ANY_TAG, NOBODY = -1, -2, -100
COLOURS, LINE = 32, 64  # VR_COLOURS, VR_LINE
SAVED = ("r15", "r14", "r13", "r12", "rbx", "rbp", "rip")  # struct vr_frame, from offset 8


def number(value):
    """A value of the inferior as an integer; atomics are plain to gdb."""
    return int(value)


def quietly(command):
    return gdb.execute(command, to_string=True)


def word(address):
    return int.from_bytes(bytes(gdb.selected_inferior().read_memory(address, 8)), "little")


def word_value(n):
    return gdb.Value(n.to_bytes(8, "little"), gdb.selected_inferior().architecture().integer_type(64, False))


def parse_list(text, limit):
    """Rank numbers from a list such as 0-3,7; all is every one."""
    if text.strip() == "all":
        return list(range(limit))
    ranks = []
    for part in text.replace(",", " ").split():
        low, _, high = part.partition("-")
        if not low.isdigit() or (high and not high.isdigit()):
            raise gdb.GdbError("%s: not a list of ranks; write for example 0-3,7 or all" % text)
        ranks += range(int(low), int(high or low) + 1)
    if not ranks or max(ranks) >= limit:
        raise gdb.GdbError("%s: the job has ranks 0 to %d" % (text, limit - 1))
    return ranks


def add_symbols(what):
    """Add a symbol file, and return gdb's name of it, which may be another one of the file's."""
    quietly("add-symbol-file " + what)
    return gdb.objfiles()[-1].filename


class Image:
    """One file at one address; `inside` is an address in it."""

    def __init__(self, path, offset, inside):
        self.path, self.offset, self.inside = path, offset, inside
        self.name = None  # by which gdb knows it

    def is_system(self):
        return self.path.startswith(SYSTEM)

    def add(self):
        if os.path.exists(self.path):
            self.name = add_symbols("'%s' -o %#x" % (self.path, self.offset))

    def remove(self):
        """The first of the file's copies goes. By an address gdb would find the file with the debug information, if that is apart, and
        take it from under the copy that needs it."""
        if self.name:
            quietly("remove-symbol-file '%s'" % self.name)


class Rank:
    """A rank's control block, as it is in the inferior now."""

    def __init__(self, worker, block):
        self.worker, self.block = worker, block
        self.id, self.slice = number(block["id"]), number(block["slice"])
        self.state, self.images = number(block["context"]["state"]), number(block["images"])

    def is_mine(self):
        return number(self.block["pe"]) == self.worker.pe

    def exists(self):
        return number(self.block["magic"]) != 0

    def holds(self, address):
        return 0 <= address - self.slice < self.worker.slice_size

    def files(self):
        """The images of the program and its libraries, then those that were opened at run time."""
        objects = self.worker.objects()
        library = self.block["libraries"]
        while number(library):
            if number(library["image"]) < 0:
                objects.append(library["object"])
            library = library["next"]
        return [self.image(o) for o in objects]

    def image(self, o):
        inside = number(o["eh_frame_hdr"]) or number(o["dynamic"])
        copy = o["copy"].string() if number(o["copy"]) else ""
        return Image(copy if os.path.exists(copy) else o["name"].string(), self.images + number(o["bias"]), self.images + inside)

    def saved(self):
        """The registers that the rank will go on with."""
        sp = number(self.block["context"]["sp"])
        regs = {name: word(sp + 8 + 8 * i) for i, name in enumerate(SAVED)}
        regs["rsp"] = sp + 8 * (1 + len(SAVED))
        return regs

    def is_new(self):
        """It has not run yet: its saved context is that of its first function."""
        return self.state == READY and self.saved()["rip"] == number(self.worker.symbol("vr_switch_entry").address)

    def describe(self):
        if self.is_new():
            return "not started yet"
        if self.state == WAITING:
            return self.describe_wait()
        if self.state == ENDED:
            return "ended with code %d" % number(self.block["context"]["exit_code"])
        return STATES[self.state] if self.state < len(STATES) else "in state %d" % self.state

    def describe_wait(self):
        w = self.block["context"]["wait"]
        fn, peer, tag = (number(w[f]) for f in ("fn", "peer", "tag"))
        text = "waiting in " + self.worker.call(fn)
        if fn < 0:
            return text
        if peer == NOBODY:
            if number(w["members"]) == 0 and number(w["count"]) > 0 and tag >= 0 and tag != fn:
                text += " for " + self.worker.call(tag)
        else:
            text += "(source any" if peer == ANY_SOURCE else "(peer %d" % peer
            text += ", tag any" if tag == ANY_TAG else ", tag %d" % tag
            text += ")"
        return text + " of " + self.communicator(number(w["context"]))

    def communicator(self, context):
        kind = context & ~3
        return {4: "MPI_COMM_WORLD", 8: "MPI_COMM_SELF"}.get(kind, "a communicator of its own (context %d)" % context)


class Worker:
    """A worker process or its core file: one program space of gdb."""

    def __init__(self, objfile):
        self.path = objfile.filename
        self.refresh(objfile)
        self.order = []  # images, in gdb's order of search
        self.loaded = set()  # ranks
        self.name = None  # of the file with the runtime, once it is added behind them
        self.thread = None
        self.process = gdb.selected_inferior().pid

    def refresh(self, objfile=None):
        """Look the runtime's data up again: values and types belong to a symbol file, which may have been added anew."""
        self.objfile = objfile or runtime_objfile()
        self.job = self.symbol("vr_job").dereference()
        self.layout = self.job["layout"]
        self.slices, self.slice_size = number(self.job["slices"]), number(self.layout["slice_size"])
        self.ranks, self.pes = number(self.job["ranks"]), number(self.job["pes"])
        pe = self.symbol("vr_pe").dereference()
        self.pe, self.tp = number(pe["id"]), number(pe["tp"])
        self.rank_type = self.symbol("vr_current").type

    def is_current(self):
        return self.process == gdb.selected_inferior().pid

    def order_first(self):
        return self.rank_at(self.order[0].inside) if self.order else None

    def symbol(self, name):
        return self.objfile.lookup_global_symbol(name).value()

    def objects(self):
        first = self.symbol("vr_objects")
        return [first[i] for i in range(number(self.symbol("vr_nobjects")))]

    def call(self, fn):
        return self.symbol("ampi_fn_names")[fn].string() if fn >= 0 else "a call outside of MPI"

    def rank(self, n):
        at = self.slices + n * self.slice_size + number(self.layout["control_block"]) + n % COLOURS * LINE
        return Rank(self, gdb.Value(at).cast(self.rank_type).dereference())

    def rank_if_there(self, n):
        """None where a core file lacks the memory of another worker's rank. Older versions of gdb read zeroes there."""
        try:
            return self.rank(n)
        except gdb.MemoryError:
            return None

    def mine(self):
        all_ranks = (self.rank_if_there(n) for n in range(self.ranks))
        return [r for r in all_ranks if r and r.exists() and r.is_mine()]

    def rank_at(self, address):
        n = (address - self.slices) // self.slice_size
        return self.rank(n) if 0 <= n < self.ranks else None

    # ---- symbol files ----

    def load(self, ranks, first):
        """Give gdb the images of some ranks. gdb takes a variable from the first file that has it, so those of rank `first`
        come before others', and the runtime's after all."""
        wanted = set(ranks) | self.loaded | {first.id}
        if wanted == self.loaded and self.order and self.order[0].offset == first.files()[0].offset:
            return
        order, seen = [], set()
        for n in [first.id] + sorted(wanted - {first.id}):
            r = self.rank(n)
            for image in r.files():
                if (n == first.id or not image.is_system()) and image.inside not in seen:
                    seen.add(image.inside)
                    order.append(image)
        self.arrange(order, {i.inside for i in first.files()})
        self.loaded = wanted

    def arrange(self, order, first):
        """Load images so that of each file the copy whose `inside` is in first comes before all others: those that are before it are
        taken out, and come back behind it."""
        in_front, stay = set(), []
        with Settings(confirm="off", height="0"):
            for image in self.order:
                if image.inside in first:
                    in_front.add(image.path)
                if image.path in in_front:
                    stay.append(image)
                else:
                    image.remove()
            if self.order:
                quietly("remove-symbol-file '%s'" % self.name)
            else:
                quietly("symbol-file")
            quietly("nosharedlibrary")
            there = {i.inside for i in stay}
            come = [i for i in order if i.inside not in there]
            for image in come:
                image.add()
            self.name = add_symbols("'%s'" % self.path)
            quietly("sharedlibrary")
        self.order = stay + come
        self.refresh()

    def is_loaded(self, rank):
        return rank.id in self.loaded

    # ---- threads ----

    def pe_thread(self):
        """The thread that runs ranks: known by its thread pointer."""
        if self.thread and self.thread.is_valid():
            return self.thread
        before = gdb.selected_thread()
        for thread in gdb.selected_inferior().threads():
            thread.switch()
            if number(gdb.parse_and_eval("$fs_base")) == self.tp:
                self.thread = thread
                break
        if before:
            before.switch()
        if not self.thread:
            raise gdb.GdbError("this worker has not started its ranks yet")
        return self.thread

    def registers(self):
        """Stack pointer and program counter of the PE thread as they are, whatever rank is shown. Selects that thread."""
        self.pe_thread().switch()
        frame = gdb.newest_frame()
        return number(frame.read_register("rsp")), number(frame.read_register("rip"))


class Settings:
    """Settings of gdb for the time of a with statement."""

    def __init__(self, **wanted):
        self.wanted, self.before = wanted, {}

    def __enter__(self):
        for name, value in self.wanted.items():
            old = gdb.parameter(name)
            self.before[name] = {True: "on", False: "off", None: "0"}.get(old, str(old)) if not isinstance(old, int) or isinstance(old, bool) else str(old)
            quietly("set %s %s" % (name, value))

    def __exit__(self, *_):
        for name, value in self.before.items():
            quietly("set %s %s" % (name, value))


def runtime_objfile():
    for o in gdb.objfiles():
        if o.is_valid() and o.lookup_global_symbol("vr_job"):
            return o
    raise gdb.GdbError("no worker of ampirun is being debugged here (or its file has no symbols)")


workers = {}  # by program space


def worker():
    """What is known of the worker that gdb's current inferior is."""
    space = gdb.current_progspace()
    w = workers.get(space)
    if w is None or not w.is_current():
        w = workers[space] = Worker(runtime_objfile())
    else:
        w.refresh()
    return w
