# Run in a Python interpreter just before it opens its script: makes the imports
# at the head of the script.  It has no docstring, which would be the script's.
#
# What cannot be as in an ordinary run ends the process, so that no run begins
# here.  What an import prints is found by the server (fork_state.c).


def _culprit_imports():
    import posix
    import sys

    def give_up():
        posix._exit(1)

    # os.environ, if there is an os yet
    text = posix.environ.pop(b"CULPRIT_IMPORTS", None)
    posix.environ.pop(b"CULPRIT_SERVER", None)
    rest = posix.environ.pop(b"LD_PRELOAD", b"").partition(b":")[2]
    if rest:
        posix.environ[b"LD_PRELOAD"] = rest

    # Without the module site there is no os, which an import of the script
    # would load.  An interpreter that reads the script otherwise than by its
    # name, or before its own start has ended, waits without imports.
    os = sys.modules.get("os")
    here = getattr(sys.modules["__main__"], "__dict__", {})
    path = sys.argv[0] if sys.argv else ""
    frame = sys._getframe().f_back.f_back
    while frame and frame.f_globals.get("__name__", "").rpartition(".")[2] in (
            "zipimport", "_bootstrap", "_bootstrap_external",
            "_frozen_importlib", "_frozen_importlib_external"):
        frame = frame.f_back
    if not text or not os or frame or path in ("", "-", "-c", "-m"):
        return

    # Where the script lies comes first, and the script may have been given for
    # the sake of what lies there: no module is searched for there now.
    folder = os.path.realpath(os.path.dirname(path))
    local = {name.partition(".")[0] for name in os.listdir(folder)}
    finders = sys.meta_path
    first = not (sys.flags.isolated or getattr(sys.flags, "safe_path", False))
    names = {"__name__": "__main__", "__builtins__": here["__builtins__"]}

    def is_ours(frame):
        return (frame.f_globals is names or
                frame.f_code.co_filename.startswith("<frozen importlib"))

    class Local(BaseException):
        pass

    class Finder:
        @classmethod
        def find_spec(cls, name, path=None, target=None):
            if path is not None or name not in local:
                return None
            frame = sys._getframe(1)
            while frame and frame.f_globals is not names:
                if not is_ours(frame):
                    give_up()
                frame = frame.f_back
            raise Local

    def is_harmless(error):
        """Has the statement itself failed, and no code of a module?  The script
        then fails there as well, and nothing is done twice."""
        trace = error.__traceback__.tb_next
        while trace and is_ours(trace.tb_frame):
            trace = trace.tb_next
        return trace is None and (
            isinstance(error, (ModuleNotFoundError, NameError)) or
            isinstance(error, ImportError) and error.name in sys.modules)

    try:
        code = compile(text, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return
    if first:
        sys.path.insert(0, folder)
        finders.insert(0, Finder)
    here["__file__"] = path
    here["__cached__"] = None
    try:
        exec(code, names)
    except Local:
        pass
    except BaseException as error:
        if not is_harmless(error):
            give_up()
    if first:
        if sys.path[0] is not folder or finders is not sys.meta_path:
            give_up()
        del sys.path[0]
        sys.path_importer_cache.pop(folder, None)
        finders.remove(Finder)
    del here["__file__"], here["__cached__"]


_culprit_imports()
del _culprit_imports
