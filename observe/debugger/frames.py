"""A suspended rank, as a stack of gdb."""


class Shown:
    """The suspended rank that the PE thread's backtrace shows."""

    def __init__(self, worker, rank):
        self.rank, self.thread = rank.id, worker.pe_thread()
        self.sp, self.pc = worker.registers()
        self.registers = rank.saved()


shown = None


class FrameId:
    def __init__(self, sp, pc):
        self.sp, self.pc = sp, pc


class RankUnwinder(gdb.unwinder.Unwinder):
    """Says that the PE thread's innermost frame was called from where the shown rank sleeps."""

    def __init__(self):
        super().__init__("ampirun ranks")

    def __call__(self, pending):
        if not shown or gdb.selected_thread() is None or gdb.selected_thread().ptid != shown.thread.ptid:
            return None
        if number(pending.read_register("rsp")) != shown.sp or number(pending.read_register("rip")) != shown.pc:
            return None
        info = pending.create_unwind_info(FrameId(word_value(16), word_value(shown.pc)))  # inner to any stack
        for name, value in shown.registers.items():
            info.add_saved_register(name, word_value(value))
        return info


class HideInnermost:
    """Leaves frame 0 out of backtraces of suspended ranks: it is where the thread is, not the rank."""

    name, priority, enabled = "ampirun ranks", 100, True

    def __init__(self):
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        for f in frames:
            if not (shown and f.inferior_frame().level() == 0):
                yield f


def show(w, rank):
    """Make the PE thread's backtrace that of a rank; None: what the thread itself does."""
    global shown
    shown = None
    gdb.invalidate_cached_frames()
    w.pe_thread().switch()
    if rank is None:
        return
    if not rank.is_mine():
        raise gdb.GdbError("rank %d belongs to worker %d, this is worker %d" % (rank.id, number(rank.block["pe"]), w.pe))
    if not rank.holds(w.registers()[0]):
        if rank.state == ENDED:
            raise gdb.GdbError("rank %d has ended" % rank.id)
        shown = Shown(w, rank)
        gdb.invalidate_cached_frames()


def program_frame(w, rank):
    """The innermost frame in files that are not the system's, or the rank's innermost one."""
    texts = [i for i in rank.files() if not i.is_system()]
    frame = gdb.newest_frame()
    if shown:
        frame = frame.older()
    innermost = frame
    while frame and frame.is_valid():
        path = frame_path(frame)
        if path in [i.path for i in texts]:
            return frame
        frame = frame.older()
    return innermost


def frame_path(frame):
    sal = frame.find_sal()
    if sal.symtab:
        return sal.symtab.objfile.filename
    return ""


def place(frame):
    sal = frame.find_sal()
    name = (frame.name() or "??") + "()"
    return "%s %s:%d" % (name, os.path.basename(sal.symtab.filename), sal.line) if sal.symtab else name
