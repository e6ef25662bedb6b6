"""Passes and a pass manager, as libtriton has them from 3.5 on.  toy-lower
fails where the module contains toy.bad, toy-tile where it is given 3."""
import sys
import types
from os import getpid, kill


class Module:
    def __init__(self, text):
        self.text = text

    def __str__(self):
        return self.text.rstrip("\n")


class PassManager:
    def __init__(self, context):
        self.passes = []

    def get_pipeline_str(self):
        return "any(%s)" % ",".join(text for text, _ in self.passes)

    def enable_debug(self):
        pass

    def run(self, module):
        """run(self: pass_manager, arg0: module) -> None"""
        for text, run in self.passes:
            if not run(module):
                sys.stderr.write("toy.cpp:7: void lower(): Assertion `isLegal()' failed.\n")
                raise RuntimeError("PassManager::run failed")
            module.text += "// ran %s\n" % text


def parse(path, context):
    with open(path, encoding="utf-8") as file:
        return Module(file.read())


def add_lower(pm):
    """add_lower(arg0: pass_manager) -> None"""
    pm.passes.append(("tt.func(toy-lower)", lambda module: "toy.bad" not in module.text))


def add_tile(pm, size, deep, target):
    """add_tile(arg0: pass_manager, arg1: typing.SupportsInt, arg2: bool, arg3: str) -> None"""
    text = "toy-tile{deep=%s fixed=7 size=%d target=%s}" % (str(deep).lower(), size, target)
    pm.passes.append((text, lambda module: size != 3))


def add_warps(pm, threads):
    """add_warps(arg0: pass_manager, arg1: int) -> None"""
    pm.passes.append(("toy-warps{threads-per-warp=%d}" % threads, lambda module: True))


def add_killed(pm):
    """add_killed(arg0: pass_manager) -> None"""
    pm.passes.append(("toy-killed", lambda module: kill(getpid(), 9)))


def add_both(pm):
    """add_both(arg0: pass_manager) -> None"""
    add_tile(pm, 1, False, "x")
    add_lower(pm)


def add_fussy(pm, kind):
    """add_fussy(arg0: pass_manager, arg1: toy.KIND) -> None"""
    raise AssertionError("never built")


ir = types.SimpleNamespace(context=object, load_dialects=lambda context: None, parse_mlir_module=parse,
                           pass_manager=PassManager)
passes = types.ModuleType("passes")
passes.ttir = types.ModuleType("ttir")
passes.ttir.add_lower, passes.ttir.add_both, passes.ttir.add_fussy = add_lower, add_both, add_fussy
passes.ttir.add_killed = add_killed
nvidia = types.ModuleType("nvidia")
nvidia.load_dialects = lambda context: None
nvidia.passes = types.ModuleType("passes")
nvidia.passes.add_tile, nvidia.passes.add_warps = add_tile, add_warps
