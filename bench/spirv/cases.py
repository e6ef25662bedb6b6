#!/usr/bin/env python3
"""cases.py DIR: write six SPIR-V assembly inputs with a behaviour in each.

A case is a folder: `input.spvasm`, some 750 lines, and `test.sh FILE`, which
says with 0 that the behaviour shows; FILE is assembly, or a binary when it ends
in ".spv".  The tools are SPIRV-Tools.  Every module is filled with functions
that call each other, branch, loop, and use structs, arrays, buffers and
decorations; what shows the behaviour is planted in one of them."""

import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import case_folder  # noqa: E402

HEADER = """               OpCapability Shader
               OpCapability Int64
               OpExtension "SPV_KHR_storage_buffer_storage_class"
     %glsl = OpExtInstImport "GLSL.std.450"
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main" %invocation %buffer
               OpExecutionMode %main LocalSize 8 8 1
               OpSource GLSL 450
               OpName %main "main"
               OpName %block "block"
               OpMemberName %block 0 "data"
               OpName %buffer "buffer"
               OpDecorate %invocation BuiltIn GlobalInvocationId
               OpDecorate %array ArrayStride 4
               OpMemberDecorate %block 0 Offset 0
               OpDecorate %block Block
               OpDecorate %buffer DescriptorSet 0
               OpDecorate %buffer Binding 0
     %void = OpTypeVoid
     %bool = OpTypeBool
      %int = OpTypeInt 32 1
     %uint = OpTypeInt 32 0
     %long = OpTypeInt 64 0
    %float = OpTypeFloat 32
   %v3uint = OpTypeVector %uint 3
  %v4float = OpTypeVector %float 4
     %node = OpTypeStruct %int %float %v4float
    %array = OpTypeRuntimeArray %float
    %block = OpTypeStruct %array
   %proc_t = OpTypeFunction %void
   %func_t = OpTypeFunction %float %float %int
%ptr_block = OpTypePointer StorageBuffer %block
%ptr_float = OpTypePointer StorageBuffer %float
 %ptr_v3in = OpTypePointer Input %v3uint
 %ptr_uint = OpTypePointer Input %uint
  %ptr_int = OpTypePointer Function %int
 %ptr_node = OpTypePointer Function %node
 %ptr_real = OpTypePointer Function %float
  %ptr_vec = OpTypePointer Function %v4float
   %buffer = OpVariable %ptr_block StorageBuffer
%invocation = OpVariable %ptr_v3in Input
    %int_0 = OpConstant %int 0
    %int_1 = OpConstant %int 1
    %int_2 = OpConstant %int 2
    %int_9 = OpConstant %int 9
   %uint_0 = OpConstant %uint 0
   %uint_1 = OpConstant %uint 1
  %long_3 = OpConstant %long 3
     %half = OpConstant %float 0.5
      %two = OpConstant %float 2
    %vec_1 = OpConstantComposite %v4float %half %two %half %two
     %yes = OpConstantTrue %bool
"""


class Writer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.next = 100

    def fresh(self):
        self.next += 1
        return f"%n{self.next}"

    def op(self, name, *operands):
        """The result of an operation."""
        result = self.fresh()
        self.lines.append(f"{result} = {name} " + " ".join(operands))
        return result

    def say(self, *words):
        self.lines.append(" ".join(words))

    def arithmetic(self, values, count):
        for _ in range(count):
            name = self.random.choice(["OpFAdd", "OpFSub", "OpFMul", "OpFDiv"])
            values.append(self.op(name, "%float", self.random.choice(values), self.random.choice(values)))
        if self.random.random() < 0.5:
            values.append(self.op("OpExtInst", "%float", "%glsl", self.random.choice(["Sin", "Sqrt", "Floor"]), values[-1]))

    def branch(self, values):
        then, other, end = self.fresh(), self.fresh(), self.fresh()
        at = self.op("OpFOrdLessThan", "%bool", values[-1], values[0])
        self.say("OpSelectionMerge", end, "None")
        self.say("OpBranchConditional", at, then, other)
        results = []
        for label in (then, other):
            self.say(label, "= OpLabel")
            inner = list(values)
            self.arithmetic(inner, 2)
            results.append((inner[-1], label))
            self.say("OpBranch", end)
        self.say(end, "= OpLabel")
        values.append(self.op("OpPhi", "%float", *(word for pair in results for word in pair)))

    def loop(self, counter, total, values):
        head, test, body, more, end = (self.fresh() for _ in range(5))
        self.say("OpStore", counter, "%int_0")
        self.say("OpStore", total, values[-1])
        self.say("OpBranch", head)
        self.say(head, "= OpLabel")
        self.say("OpLoopMerge", end, more, "None")
        self.say("OpBranch", test)
        self.say(test, "= OpLabel")
        at = self.op("OpLoad", "%int", counter)
        self.say("OpBranchConditional", self.op("OpSLessThan", "%bool", at, "%int_9"), body, end)
        self.say(body, "= OpLabel")
        sofar = self.op("OpLoad", "%float", total)
        self.say("OpStore", total, self.op("OpFMul", "%float", sofar, values[0]))
        self.say("OpBranch", more)
        self.say(more, "= OpLabel")
        self.say("OpStore", counter, self.op("OpIAdd", "%int", self.op("OpLoad", "%int", counter), "%int_1"))
        self.say("OpBranch", head)
        self.say(end, "= OpLabel")
        values.append(self.op("OpLoad", "%float", total))

    def node(self, place, values):
        at = self.op("OpAccessChain", "%ptr_real", place, "%int_1")
        self.say("OpStore", at, values[-1])
        values.append(self.op("OpLoad", "%float", at))

    def function(self, name, callees, plant):
        x, i = self.fresh(), self.fresh()
        self.say(name, "= OpFunction %float None %func_t")
        self.say(x, "= OpFunctionParameter %float")
        self.say(i, "= OpFunctionParameter %int")
        self.say(self.fresh(), "= OpLabel")
        counter = self.op("OpVariable", "%ptr_int", "Function")
        total = self.op("OpVariable", "%ptr_real", "Function")
        place = self.op("OpVariable", "%ptr_node", "Function")
        values = [x, "%half"]
        self.arithmetic(values, 4)
        for step in self.random.sample([0, 1, 2, 3], 4):
            if step == 0:
                self.branch(values)
            elif step == 1:
                self.loop(counter, total, values)
            elif step == 2:
                self.node(place, values)
            elif callees:
                values.append(self.op("OpFunctionCall", "%float", self.random.choice(callees), values[-1], i))
            if plant and step == 2:
                plant(self, i, values, place)
                planted = values[-1]
        self.arithmetic(values, 3)
        if plant:
            values.append(self.op("OpFAdd", "%float", values[-1], planted))
        self.say("OpReturnValue", values[-1])
        self.say("OpFunctionEnd")

    def main(self, callees):
        self.say("%main = OpFunction %void None %proc_t")
        self.say(self.fresh(), "= OpLabel")
        at = self.op("OpLoad", "%uint", self.op("OpAccessChain", "%ptr_uint", "%invocation", "%uint_0"))
        place = self.op("OpAccessChain", "%ptr_float", "%buffer", "%int_0", at)
        value = self.op("OpLoad", "%float", place)
        for name in callees:
            value = self.op("OpFunctionCall", "%float", name, value, "%int_9")
        self.say("OpStore", place, value)
        self.say("OpReturn")
        self.say("OpFunctionEnd")


def bit_reverse(w, i, values, _):
    values.append(w.op("OpConvertSToF", "%float", w.op("OpBitReverse", "%int", w.op("OpBitCount", "%int", i))))


def wide(w, i, values, _):
    long = w.op("OpUConvert", "%long", w.op("OpBitcast", "%uint", i))
    long = w.op("OpUMod", "%long", w.op("OpIMul", "%long", long, long), "%long_3")
    values.append(w.op("OpConvertUToF", "%float", long))


def vector(w, _, values, place):
    whole = w.op("OpLoad", "%node", place)
    mixed = w.op("OpVectorShuffle", "%v4float", w.op("OpCompositeExtract", "%v4float", whole, "2"), "%vec_1", "0 5 2 7")
    values.append(w.op("OpDot", "%float", mixed, "%vec_1"))


def early_return(w, i, values, _):
    then, end = w.fresh(), w.fresh()
    at = w.op("OpIEqual", "%bool", i, "%int_9")
    w.say("OpSelectionMerge", end, "None")
    w.say("OpBranchConditional", at, then, end)
    w.say(then, "= OpLabel")
    w.say("OpReturnValue", values[0])
    w.say(end, "= OpLabel")
    values.append(w.op("OpFNegate", "%float", values[0]))


def insert(w, _, values, place):
    part = w.op("OpAccessChain", "%ptr_vec", place, "%int_2")
    w.say("OpStore", part, "%vec_1")
    whole = w.op("OpLoad", "%v4float", part)
    values.append(w.op("OpCompositeExtract", "%float", whole, "3"))


def select(w, i, values, _):
    at = w.op("OpSGreaterThan", "%bool", w.op("OpIMul", "%int", i, i), "%int_1")
    values.append(w.op("OpSelect", "%float", at, values[0], w.op("OpExtInst", "%float", "%glsl", "Fract", values[0])))


CASES = {
    "bit-reverse": (bit_reverse, "-O", ["OpBitReverse"]),
    "wide-modulo": (wide, "--inline-entry-points-exhaustive -O", ["OpUMod"]),
    "shuffle": (vector, "--scalar-replacement=100", ["OpVectorShuffle", "OpDot"]),
    "early-return": (early_return, "--merge-return", ["OpSwitch"]),
    "insert": (insert, "--convert-local-access-chains", ["OpCompositeInsert"]),
    "select": (select, "--simplify-instructions --if-conversion", ["OpSelect", "Fract"]),
}
TEST = """#!/bin/sh
d=$(mktemp -d) || exit 2
trap 'rm -rf "$d"' EXIT
b=$d/module.spv
case $1 in
*.spv) cp "$1" "$b" ;;
*) spirv-as --target-env spv1.5 --preserve-numeric-ids "$1" -o "$b" 2>/dev/null || exit 1 ;;
esac
spirv-val "$b" >/dev/null 2>&1 || exit 1
spirv-opt {passes} "$b" -o "$b.after" 2>/dev/null && spirv-dis "$b.after" -o "$b.txt" || exit 1
for word in {words}; do
  grep -q "$word" "$b.txt" || exit 1
done
"""


def write(folder, seed, plant, passes, words):
    w = Writer(seed)
    names = [f"%f{i}" for i in range(12)]
    for i, name in enumerate(names):
        w.function(name, names[:i], plant if i == 7 else None)
    w.main(names[7:])
    case_folder.write(folder, "spvasm", HEADER + "".join(line + "\n" for line in w.lines),
                      TEST.format(passes=passes, words=" ".join(words)))


def main():
    for seed, (name, case) in enumerate(CASES.items()):
        write(os.path.join(sys.argv[1], name), seed, *case)


if __name__ == "__main__":
    main()
