"""Failures of a compiler that does not exist, as its logs show them."""

WORDS = "Fold Tile Fuse Pad Split Hoist Sink Merge Pack Lower Peel Unroll Inline Widen Narrow Cast".split()
NOUNS = "Loop Region Block Shape Slice Layout Buffer Stride Window Bound Handle Token Barrier Scale Mask Lane".split()
FACTS = ("rank < 4", "isa<To>(Val)", "it != end()", "size() == other.size()", "!visited.count(op)", "idx < n", "type && \"no type\"",
         "hasOneUse()", "lhs->next == rhs", "width % 8 == 0", "map.empty()", "parent == nullptr")  # fmt: skip
OUTER = ("llvm::detail::PassModel<llvm::Module, toy::Pass>::run(llvm::Module&)", "llvm::PassManager<llvm::Module>::run(llvm::Module&)",
         "main", "__libc_start_main")  # fmt: skip


def crash(rng, assertion=True):
    """One failure: (lines, what a maintainer would call it)."""
    kind, noun = rng.choice(WORDS), rng.choice(NOUNS)
    names = ["toy::%s%s::%s" % (rng.choice(WORDS), rng.choice(NOUNS), rng.choice(("run", "visit", "match", "rewrite", "get", "update"))) for _ in range(4)]
    fact = rng.choice(FACTS)
    base = rng.randrange(1 << 20, 1 << 28) << 12
    lines = []
    if assertion:
        lines.append("toy-opt: /b/toy/lib/%s%s.cpp:%d: void %s(toy::Op*): Assertion `%s' failed." % (kind, noun, rng.randrange(20, 900), names[0], fact))
    lines += ["PLEASE submit a bug report to https://toy.example/issues and include the crash backtrace.", "Stack dump:",
              "0.\tProgram arguments: /b/bin/toy-opt --%s-%s in-%d.mlir" % (kind.lower(), noun.lower(), rng.randrange(99)),
              "1.\tRunning pass \"%s-%s\" on function \"f%d\"" % (kind.lower(), noun.lower(), rng.randrange(99))]  # fmt: skip
    frames = ["llvm::sys::PrintStackTrace(llvm::raw_ostream&, int)", "llvm::sys::RunSignalHandlers()", "abort"] if assertion else ["llvm::sys::PrintStackTrace(llvm::raw_ostream&, int)", "llvm::sys::RunSignalHandlers()"]
    frames += ["%s(toy::Op*)" % n for n in names] + list(OUTER)
    for n, frame in enumerate(frames):
        offset = rng.randrange(1 << 12, 1 << 24)
        lines.append("%3s 0x%016x %s (/b/bin/toy-opt+0x%x)" % ("#%d" % n, base + offset, frame, offset))
    return lines, names[0]
