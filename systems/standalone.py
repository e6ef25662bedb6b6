# Run a Python script once, and where it fails, write scripts that only do what
# failed: the statement of one frame, with the values of its variables as
# literals, and the definitions that it needs.  The innermost frame comes first.
# culprit puts the script's source (_CULPRIT_SOURCE) before this text and runs
# both in place of the script, so nothing here may depend on modules that are
# not part of Python.
def _culprit_main(source, space):
    import ast
    import dataclasses
    import faulthandler
    import json
    import linecache
    import os
    import re
    import sys
    import tempfile
    import types

    MOST_ITEMS, MOST_VALUES, MOST_TRACED = 64, 8, 64
    path = space.get("__file__") or "script.py"
    lines = source.splitlines(True)
    linecache.cache[path] = (len(source), None, lines, path)
    tree = ast.parse(source, path)

    class Unknown(Exception):
        """A value that no literal describes."""

    # ---- the top level of the script ----

    def names_in(node, context):
        return {n.id for n in ast.walk(node)
                if isinstance(n, ast.Name) and isinstance(n.ctx, context)}

    class Top:
        def __init__(self, node):
            self.first = min([node.lineno] + [
                d.lineno for d in getattr(node, "decorator_list", ())])
            self.last = node.end_lineno
            self.text = "".join(lines[self.first - 1:self.last])
            self.loads = names_in(node, ast.Load)
            self.imports = isinstance(node, (ast.Import, ast.ImportFrom))
            self.defines = isinstance(
                node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
            self.future = (isinstance(node, ast.ImportFrom) and
                           node.module == "__future__")
            if self.imports:
                self.binds = {a.asname or a.name.split(".")[0]
                              for a in node.names}
            elif self.defines:
                self.binds = {node.name}
            else:
                self.binds = names_in(node, ast.Store)
            # Such as os.environ["A"] = "1" or register(primitive, rule).
            self.acts = not self.binds and isinstance(
                node, (ast.Expr, ast.Assign)) and not isinstance(
                    getattr(node, "value", None), ast.Constant)
            if isinstance(node, ast.Assign) and not self.binds:
                self.acts = True

        def holds(self, line):
            return self.first <= line <= self.last

    tops = [Top(node) for node in tree.body]
    imported = {name for top in tops if top.imports for name in top.binds}

    def close(names, line):
        """The top-level statements that the names need, except that at the
        line, at which the script fails."""
        needed, taken, grows = set(names), set(), True
        while grows:
            grows = False
            for i, top in enumerate(tops):
                if i in taken or (top.holds(line) and not top.defines):
                    continue
                own = top.loads & bound
                if not (top.future or top.binds & needed or
                        (top.acts and own and
                         (own <= imported or (own - imported) & needed))):
                    continue
                taken.add(i)
                needed |= top.loads
                grows = True
        return [tops[i] for i in sorted(taken)]

    bound = {name for top in tops for name in top.binds}

    # ---- values as text ----

    class Writer:
        def __init__(self):
            self.needs = set()
            self.imports = set()
            self.depth = 0
            self.before = []  # statements that make the objects
            self.made = 0

        def module(self, name):
            for key, value in space.items():
                if key in bound and value is sys.modules.get(name):
                    self.needs.add(key)
                    return key
            self.imports.add("import " + name)
            return name

        def items(self, values):
            if len(values) > MOST_ITEMS:
                raise Unknown
            return ", ".join(self.write(v) for v in values)

        def array(self, value):
            kind = type(value)
            shape = tuple(int(n) for n in value.shape)
            home = kind.__module__.split(".")[0]
            if home == "torch":
                torch = self.module("torch")
                return "%s.ones(%r, dtype=%s.%s, device=%r)" % (
                    torch, shape, torch, str(value.dtype).split(".")[-1],
                    str(value.device))
            dtype = str(value.dtype)
            if dtype.startswith("key<"):
                return self.module("jax") + ".random.key(0)"
            call = self.module("numpy" if home == "numpy" else "jax.numpy")
            try:
                few = value.size <= MOST_VALUES and value.tolist()
            except Exception:  # a tracer has no values
                few = False
            if few is not False and not re.search(
                    "nan|inf|object|<", repr(few) + dtype):
                return "%s.array(%r, %r)" % (call, few, dtype)
            return "%s.ones(%r, %r)" % (call, shape, dtype)

        def name_of(self, value):
            for key in bound:
                if space.get(key) is value:
                    self.needs.add(key)
                    return key
            return None

        def class_of(self, kind):
            name = self.name_of(kind)
            if name:
                return name
            if (kind.__module__ in (None, "__main__", space.get("__name__")) or
                    "<" in kind.__qualname__):
                raise Unknown
            if kind.__module__ == "builtins":
                return kind.__name__
            return self.module(kind.__module__) + "." + kind.__qualname__

        def thing(self, value):
            kind = type(value)
            if isinstance(value, type):
                return self.class_of(value)
            if isinstance(value, types.ModuleType):
                return self.module(value.__name__)
            if kind.__module__.startswith("numpy.random"):
                return self.module("numpy") + ".random.default_rng(0)"
            if (kind.__module__ or "").split(".")[0] == "numpy" and not hasattr(
                    value, "shape"):
                return "%s.dtype(%r)" % (self.module("numpy"), str(value))
            if hasattr(value, "shape") and hasattr(value, "dtype"):
                return self.array(value)
            if dataclasses.is_dataclass(value):
                fields = [f for f in dataclasses.fields(value) if f.init]
                return "%s(%s)" % (self.class_of(kind), ", ".join(
                    f.name + "=" + self.write(getattr(value, f.name))
                    for f in fields))
            if isinstance(value, (tuple, list)) and hasattr(value, "_fields"):
                return "%s(%s)" % (self.class_of(kind), self.items(value))
            members = getattr(value, "__dict__", None)
            if (not isinstance(members, dict) or hasattr(kind, "__call__") and
                    not self.name_of(kind) or len(members) > MOST_ITEMS):
                raise Unknown
            if kind.__name__ == "Namespace" and kind.__module__ == "argparse":
                return "%s(%s)" % (self.class_of(kind), ", ".join(
                    k + "=" + self.write(v) for k, v in members.items()))
            if not self.name_of(kind):  # of a library: its state is its own
                raise Unknown
            text = "%s.__new__(%s)" % ((self.class_of(kind),) * 2)
            if members:
                self.made += 1
                name = "object%d" % self.made
                parts = ["%s = %s\n" % (name, text)]
                parts += ["%s.%s = %s\n" % (name, k, self.write(v))
                          for k, v in members.items()]
                self.before += parts
                return name
            return text

        def write(self, value):
            """An expression for the value."""
            self.depth += 1
            try:
                if self.depth > 8:
                    raise Unknown
                if value is None or value is Ellipsis or isinstance(
                        value, bool):
                    return repr(value)
                if type(value) in (int, str, bytes, float, complex):
                    text = repr(value)
                    if len(text) > 4000 or re.fullmatch(
                            r".*(nan|inf).*", text) and not isinstance(
                                value, (str, bytes)):
                        raise Unknown
                    return text
                name = self.name_of(value)
                if name:
                    return name
                if type(value) is tuple:
                    return "(%s%s)" % (self.items(value),
                                       "," if len(value) == 1 else "")
                if type(value) is list:
                    return "[%s]" % self.items(value)
                if type(value) is dict and len(value) <= MOST_ITEMS:
                    return "{%s}" % ", ".join(
                        self.write(k) + ": " + self.write(v)
                        for k, v in value.items())
                return self.thing(value)
            finally:
                self.depth -= 1

    # ---- the statement of a frame ----

    def statement_at(line):
        """The innermost statement that holds the line."""
        found = None
        for node in ast.walk(tree):
            if (isinstance(node, ast.stmt) and
                    node.lineno <= line <= node.end_lineno and
                    (found is None or node.lineno >= found.lineno)):
                found = node
        return found

    def expression_of(node):
        """What the statement computes."""
        if isinstance(node, ast.AugAssign):
            target = ast.parse(ast.unparse(node.target), mode="eval").body
            return ast.BinOp(target, node.op, node.value)
        if isinstance(node, (ast.If, ast.While)):
            return node.test
        if isinstance(node, ast.Assert):  # the assertion itself fails
            calls = any(isinstance(n, ast.Call) for n in ast.walk(node.test))
            return node.test if calls else None
        if isinstance(node, (ast.For,)):
            return node.iter
        if isinstance(node, ast.With) and len(node.items) == 1:
            return node.items[0].context_expr
        return getattr(node, "value", None)

    def function_at(line):
        """The statements of the innermost function that holds the line."""
        found = tree
        for node in ast.walk(tree):
            if (isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and
                    node.lineno <= line <= node.end_lineno and
                    (found is tree or node.lineno >= found.lineno)):
                found = node
        return found

    def copy_of(node):
        mode = "eval" if isinstance(node, ast.expr) else "exec"
        body = ast.parse(ast.unparse(node), mode=mode).body
        return body if mode == "eval" else body[0]

    def inner_names(node):
        """The names that the code binds itself."""
        return names_in(node, ast.Store) | {
            n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}

    class Values(ast.NodeTransformer):
        """Replace the variables of a frame by their values; statements: what
        must come before."""

        def __init__(self, frame, line, variables, writer):
            self.spaces = (frame.f_globals, frame.f_locals)
            self.line = line
            self.variables = variables
            self.writer = writer
            self.inner = set()
            self.statements = []
            self.names = set()
            self.open = set()

        def of(self, node):
            before, self.inner = self.inner, inner_names(node)
            changed = ast.fix_missing_locations(self.visit(copy_of(node)))
            self.inner = before
            return changed

        def name_for(self, name):
            return name + "_" if name in bound else name

        def made_by(self, name):
            """Repeat the statement that gave the variable its value."""
            found = None
            for node in ast.walk(function_at(self.line)):
                if not isinstance(node, ast.stmt) or node.lineno >= self.line:
                    continue
                if (isinstance(node, ast.Assign) and len(node.targets) == 1 and
                        isinstance(node.targets[0], ast.Name) and
                        node.targets[0].id == name or
                        isinstance(node, ast.FunctionDef) and
                        node.name == name):
                    found = node
            if found is None or name in self.open or name in bound:
                raise Unknown
            self.open.add(name)
            if isinstance(found, ast.Assign):
                text = "%s = %s" % (name, ast.unparse(self.of(found.value)))
            else:
                text = ast.unparse(self.of(found))
            self.open.discard(name)
            self.names.add(name)
            self.statements.append(text + "\n")
            return ast.Name(name, ast.Load())

        def value(self, node):
            root = node
            while isinstance(root, (ast.Attribute, ast.Subscript)):
                root = root.value
            if (not isinstance(root, ast.Name) or
                    not isinstance(node.ctx, ast.Load) or
                    root.id in self.inner or root.id not in self.variables or
                    names_in(node, ast.Load) & self.inner):
                return self.generic_visit(node)
            if isinstance(node, ast.Name) and (
                    self.name_for(node.id) in self.names):
                return ast.Name(self.name_for(node.id), ast.Load())
            writer = self.writer
            state = (set(writer.needs), set(writer.imports),
                     list(writer.before), writer.made)
            try:
                code = compile(ast.Expression(node), path, "eval")
                text = writer.write(eval(code, *self.spaces))
            except Exception:
                (writer.needs, writer.imports, writer.before,
                 writer.made) = state
                if not isinstance(node, ast.Name):
                    return self.generic_visit(node)
                if node.id in bound and self.spaces[0] is self.spaces[1]:
                    return node
                return self.made_by(node.id)
            self.statements += writer.before
            writer.before = []
            if isinstance(node, ast.Name) and len(text) > 8 and (
                    not text.isidentifier()):
                name = self.name_for(node.id)
                self.names.add(name)
                self.statements.append("%s = %s\n" % (name, text))
                return ast.Name(name, ast.Load())
            return ast.parse(text, mode="eval").body

        visit_Name = visit_Attribute = visit_Subscript = value

    def standalone(frame, line):
        statement = statement_at(line)
        expression = statement and expression_of(statement)
        if expression is None or any(
                isinstance(n, (ast.Yield, ast.YieldFrom, ast.Await))
                for n in ast.walk(expression)):
            raise Unknown
        module = frame.f_code.co_name == "<module>"
        if frame.f_code.co_name.startswith("<") and not module:
            raise Unknown
        variables = set(frame.f_locals)
        if module:
            for top in tops:
                if top.imports or top.defines:
                    variables -= top.binds
        writer = Writer()
        change = Values(frame, line, variables, writer)
        expression = change.of(expression)
        statements = change.statements
        if not isinstance(expression, ast.Name):
            statements.append(ast.unparse(expression) + "\n")
        needed = writer.needs | names_in(ast.parse("".join(statements)),
                                         ast.Load)
        kept = close(needed - change.names, line)
        texts = [top.text for top in kept]
        n_first = sum(top.future for top in kept)
        texts[n_first:n_first] = sorted(i + "\n" for i in writer.imports)
        texts += statements
        if source.startswith("#!"):
            texts.insert(0, lines[0])
        return "".join(t if t.endswith("\n") else t + "\n" for t in texts)

    def all_of(frames):
        found = []
        for frame, line in reversed(frames):
            try:
                text = standalone(frame, line)
                compile(text, path, "exec")
                if len(text) < len(source) and text not in found:
                    found.append(text)
            except (Exception, RecursionError):
                continue
        return found

    # ---- the runs ----

    def run():
        exec(compile(tree, path, "exec"), space)

    def of_exception(error):
        seen = set()
        while error is not None and id(error) not in seen:
            seen.add(id(error))
            at, frames = error.__traceback__, []
            while at is not None:
                if at.tb_frame.f_code.co_filename == path:
                    frames.append((at.tb_frame, at.tb_lineno))
                at = at.tb_next
            if frames:
                return frames
            error = error.__cause__ or error.__context__
        return []

    def put(out, found):
        out.seek(0)
        out.truncate()
        out.write(json.dumps(found))
        out.flush()

    def child(function, *args):
        """Call the function in a process of its own; the signal that ended
        it, or 0."""
        number = os.fork()
        if number == 0:
            status = 0
            try:
                function(*args)
            except BaseException:
                status = 1
            os._exit(status)
        status = os.waitpid(number, 0)[1]
        return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0

    def first_run(out, faults):
        faulthandler.enable(faults)
        try:
            run()
        except SystemExit:
            pass
        except BaseException as error:
            put(out, all_of(of_exception(error)))

    def second_run(out, stack):
        """Look at the variables whenever the line is reached at which a crash
        is next."""
        line, name = stack[0]
        left = [MOST_TRACED]

        def local(frame, event, _):
            if (event == "line" and frame.f_lineno == line and left[0] and
                    frame.f_code.co_name == name):
                left[0] -= 1
                frames, at = [], frame
                while at is not None:
                    if at.f_code.co_filename == path and at is not home:
                        frames.insert(0, (at, at.f_lineno))
                    at = at.f_back
                put(out, all_of(frames))
            return local

        home = sys._getframe()
        while home.f_back is not None:
            home = home.f_back
        sys.settrace(lambda frame, event, arg: local
                     if frame.f_code.co_filename == path else None)
        run()

    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile(
            "w+") as faults:
        if child(first_run, out, faults):
            faults.seek(0)
            stack = [(int(line), name) for file, line, name in re.findall(
                r'File "(.*)", line (\d+) in (.*)', faults.read())
                if file == path]
            if stack:
                child(second_run, out, stack)
        out.seek(0)
        print("\nculprit-standalone: " + (out.read() or "[]"), flush=True)


_culprit_main(_CULPRIT_SOURCE, globals())
