// Modules that hold instances of each other, and none may be a declaration: no
// run of them stands alone.
// TEST: %cli/Inputs/gates --fail ports "$1" 2>&1 | grep -q 'cannot print'
// OPTIONS: --form mlir-text
// RUNS: 1.2
module {
  cell.module @m0(in %clk: i1, in %a: i8, in %b: i8, in %c: i4, out o: i8, out p: i4) {
    %v0 = logic.and %a, %a : i8
    %v1 = logic.mul %a, %b : i8
    %v2 = logic.xor %v1, %v1 : i8
    %v3 = logic.add %a, %v1 : i8
    %v4 = logic.add %v1, %v1 : i8
    %v5 = logic.and %v3, %v1 : i8
    %n = logic.low %v1 {bits = 4 : i8} : (i8) -> i4
    %next = logic.add %v2, %v3 : i8
    %state = seq.reg %next, %clk : (i8, i1) -> i8
    %i0:2 = cell.instance "u0" @m1(clk: %clk: i1, a: %b: i8, b: %v3: i8, c: %c: i4) -> (o: i8, p: i4)
    %i1:2 = cell.instance "u0" @m18(clk: %clk: i1, a: %a: i8, b: %a: i8, c: %i0#1: i4) -> (o: i8, p: i4)
    cell.always %clk : i1 {
      logic.trace %state : i8
    }
    cell.output %i1#0, %i1#1 : i8, i4
  }
  cell.module @m1(in %clk: i1, in %a: i8, in %b: i8, in %c: i4, out o: i8, out p: i4) {
    %v0 = logic.xor %a, %b : i8
    %v1 = logic.add %b, %v0 : i8
    %v2 = logic.mul %b, %v1 : i8
    %v3 = logic.and %v2, %b : i8
    %v4 = logic.xor %b, %v3 : i8
    %v5 = logic.and %v4, %v1 : i8
    %n = logic.low %a {bits = 4 : i8} : (i8) -> i4
    %next = logic.add %v2, %v3 : i8
    %state = seq.reg %next, %clk : (i8, i1) -> i8
    %i0:2 = cell.instance "u1" @m2(clk: %clk: i1, a: %state: i8, b: %b: i8, c: %c: i4) -> (o: i8, p: i4)
    %i1:2 = cell.instance "u1" @m13(clk: %clk: i1, a: %v2: i8, b: %b: i8, c: %i0#1: i4) -> (o: i8, p: i4)
    cell.always %clk : i1 {
      logic.trace %v3 : i8
    }
    cell.output %i1#0, %i1#1 : i8, i4
  }
  cell.module @m2(in %clk: i1, in %a: i8, in %b: i8, in %c: i4, out o: i8, out p: i4) {
    %v0 = logic.and %b, %a : i8
    %v1 = logic.mul %b, %v0 : i8
    %v2 = logic.mul %v1, %a : i8
    %v3 = logic.mul %b, %v1 : i8
    %v4 = logic.and %v3, %b : i8
    %v5 = logic.and %v2, %v3 : i8
    %n = logic.low %b {bits = 4 : i8} : (i8) -> i4
    %next = logic.add %v2, %v3 : i8
    %state = seq.reg %next, %clk : (i8, i1) -> i8
    %i0:2 = cell.instance "u2" @m3(clk: %clk: i1, a: %state: i8, b: %b: i8, c: %c: i4) -> (o: i8, p: i4)
    %i1:2 = cell.instance "u2" @m14(clk: %clk: i1, a: %state: i8, b: %v4: i8, c: %n: i4) -> (o: i8, p: i4)
    cell.always %clk : i1 {
      logic.trace %v5 : i8
    }
    cell.output %i1#0, %i1#1 : i8, i4
  }
  cell.module @m3(in %clk: i1, in %a: i8, in %b: i8, in %c: i4, out o: i8, out p: i4) {
    %v0 = logic.add %a, %b : i8
    %v1 = logic.mul %b, %v0 : i8
    %v2 = logic.xor %b, %b : i8
    %v3 = logic.xor %a, %b : i8
    %v4 = logic.and %v1, %v2 : i8
    %v5 = logic.and %v4, %v2 : i8
    %n = logic.low %v5 {bits = 4 : i8} : (i8) -> i4
    %next = logic.add %v2, %v3 : i8
    %state = seq.reg %next, %clk : (i8, i1) -> i8
    %i0:2 = cell.instance "u3" @m4(clk: %clk: i1, a: %state: i8, b: %a: i8, c: %n: i4) -> (o: i8, p: i4)
    %i1:2 = cell.instance "u3" @m8(clk: %clk: i1, a: %state: i8, b: %v0: i8, c: %i0#1: i4) -> (o: i8, p: i4)
    cell.always %clk : i1 {
      logic.trace %state : i8
    }
    cell.output %i1#0, %i1#1 : i8, i4
  }
  cell.module @m4(in %clk: i1, in %a: i8, in %b: i8, in %c: i4, out o: i8, out p: i4) {
    %v0 = logic.add %a, %b : i8
    %v1 = logic.xor %b, %b : i8
    %v2 = logic.and %v1, %v1 : i8
    %v3 = logic.add %v1, %v0 : i8
    %v4 = logic.and %v2, %v2 : i8
    %v5 = logic.add %v1, %v2 : i8
    %n = logic.low %v1 {bits = 4 : i8} : (i8) -> i4
    %next = logic.add %v2, %v3 : i8
    %state = seq.reg %next, %clk : (i8, i1) -> i8
    %i0:2 = cell.instance "u4" @m5(clk: %clk: i1, a: %v0: i8, b: %state: i8, c: %c: i4) -> (o: i8, p: i4)
    %i1:2 = cell.instance "u4" @m20(clk: %clk: i1, a: %b: i8, b: %state: i8, c: %n: i4) -> (o: i8, p: i4)
    cell.always %clk : i1 {
      logic.trace %a : i8
    }
    cell.output %i1#0, %i1#1 : i8, i4
  }
  cell.module @m5(in %clk: i1, in %a: i8, in %b: i8, in %c: i4, out o: i8, out p: i4) {
    %v0 = logic.add %a, %a : i8
    %v1 = logic.and %b, %a : i8
    %v2 = logic.add %b, %v0 : i8
    %v3 = logic.and %v2, %b : i8
    %v4 = logic.xor %v0, %a : i8
    %v5 = logic.xor %b, %v0 : i8
    %n = logic.low %v2 {bits = 4 : i8} : (i8) -> i4
    %next = logic.add %v2, %v3 : i8
    %state = seq.reg %next, %clk : (i8, i1) -> i8
    %i0:2 = cell.instance "u5" @m6(clk: %clk: i1, a: %v2: i8, b: %v5: i8, c: %n: i4) -> (o: i8, p: i4)
    %i1:2 = cell.instance "u5" @m20(clk: %clk: i1, a: %v5: i8, b: %v5: i8, c: %c: i4) -> (o: i8, p: i4)
    cell.always %clk : i1 {
      logic.trace %a : i8
    }
    cell.output %i1#0, %i1#1 : i8, i4
  }
  cell.module @m6(in %clk: i1, in %a: i8, in %b: i8, in %c: i4, out o: i8, out p: i4) {
    %v0 = logic.and %b, %b : i8
    %v1 = logic.and %b, %a : i8
    %v2 = logic.xor %a, %v0 : i8
    %v3 = logic.add %v2, %v1 : i8
    %v4 = logic.mul %b, %a : i8
    %v5 = logic.xor %b, %a : i8
    %n = logic.low %v5 {bits = 4 : i8} : (i8) -> i4
    %next = logic.add %v2, %v3 : i8
    %state = seq.reg %next, %clk : (i8, i1) -> i8
    %i0:2 = cell.instance "u6" @m7(clk: %clk: i1, a: %state: i8, b: %v4: i8, c: %c: i4) -> (o: i8, p: i4)
    %i1:2 = cell.instance "u6" @m22(clk: %clk: i1, a: %state: i8, b: %v5: i8, c: %c: i4) -> (o: i8, p: i4)
    cell.always %clk : i1 {
      logic.trace %state : i8
    }
    cell.output %i1#0, %i1#1 : i8, i4
  }
  cell.module @m7(in %clk: i1, in %a: i8, in %b: i8, in %c: i4, out o: i8, out p: i4) {
    %v0 = logic.and %a, %b : i8
    %v1 = logic.mul %v0, %v0 : i8
    %v2 = logic.xor %a, %v0 : i8
    %v3 = logic.and %b, %a : i8
    %v4 = logic.and %a, %a : i8
    %v5 = logic.xor %v0, %v3 : i8
    %n = logic.low %v4 {bits = 4 : i8} : (i8) -> i4
    %next = logic.add %v2, %v3 : i8
    %state = seq.reg %next, %clk : (i8, i1) -> i8
    %i0:2 = cell.instance "u7" @m8(clk: %clk: i1, a: %v2: i8, b: %v0: i8, c: %c: i4) -> (o: i8, p: i4)
    %i1:2 = cell.instance "u7" @m18(clk: %clk: i1, a: %state: i8, b: %a: i8, c: %i0#1: i4) -> (o: i8, p: i4)
    cell.always %clk : i1 {
      logic.trace %v1 : i8
    }
    cell.output %i1#0, %i1#1 : i8, i4
  }
  cell.module @m8(in %clk: i1, in %a: i8, in %b: i8, in %c: i4, out o: i8, out p: i4) {
    %v0 = logic.add %b, %a : i8
    %v1 = logic.and %b, %a : i8
    %v2 = logic.mul %a, %b : i8
    %v3 = logic.mul %v2, %b : i8
    %v4 = logic.mul %a, %v3 : i8
    %v5 = logic.mul %v0, %v2 : i8
    %n = logic.low %a {bits = 4 : i8} : (i8) -> i4
    %next = logic.add %v2, %v3 : i8
    %state = seq.reg %next, %clk : (i8, i1) -> i8
    %i0:2 = cell.instance "u8" @m9(clk: %clk: i1, a: %v4: i8, b: %v2: i8, c: %c: i4) -> (o: i8, p: i4)
    %i1:2 = cell.instance "u8" @m10(clk: %clk: i1, a: %v0: i8, b: %v1: i8, c: %n: i4) -> (o: i8, p: i4)
    cell.always %clk : i1 {
      logic.trace %i0#0 : i8
    }
    cell.output %i1#0, %i1#1 : i8, i4
  }
  cell.module @m9(in %clk: i1, in %a: i8, in %b: i8, in %c: i4, out o: i8, out p: i4) {
    %v0 = logic.mul %a, %b : i8
    %v1 = logic.add %a, %b : i8
    %v2 = logic.mul %v1, %v0 : i8
    %v3 = logic.add %v2, %b : i8
    %v4 = logic.add %v3, %a : i8
    %v5 = logic.xor %b, %b : i8
    %n = logic.low %v1 {bits = 4 : i8} : (i8) -> i4
    %next = logic.add %v2, %v3 : i8
    %state = seq.reg %next, %clk : (i8, i1) -> i8
    %i0:2 = cell.instance "u9" @m10(clk: %clk: i1, a: %v3: i8, b: %state: i8, c: %n: i4) -> (o: i8, p: i4)
    %i1:2 = cell.instance "u9" @m8(clk: %clk: i1, a: %v3: i8, b: %v3: i8, c: %n: i4) -> (o: i8, p: i4)
    cell.always %clk : i1 {
      logic.trace %b : i8
    }
    cell.output %i1#0, %i1#1 : i8, i4
  }
  cell.module @m10(in %clk: i1, in %a: i8, in %b: i8, in %c: i4, out o: i8, out p: i4) {
    %v0 = logic.mul %b, %a : i8
    %v1 = logic.add %a, %v0 : i8
    %v2 = logic.mul %v0, %a : i8
    %v3 = logic.xor %a, %v1 : i8
    %v4 = logic.add %b, %v0 : i8
    %v5 = logic.mul %v2, %v2 : i8
    %n = logic.low %b {bits = 4 : i8} : (i8) -> i4
    %next = logic.add %v2, %v3 : i8
    %state = seq.reg %next, %clk : (i8, i1) -> i8
    %i0:2 = cell.instance "u10" @m11(clk: %clk: i1, a: %state: i8, b: %v1: i8, c: %c: i4) -> (o: i8, p: i4)
    %i1:2 = cell.instance "u10" @m18(clk: %clk: i1, a: %v2: i8, b: %v3: i8, c: %n: i4) -> (o: i8, p: i4)
    cell.always %clk : i1 {
      logic.trace %i0#0 : i8
    }
    cell.output %i1#0, %i1#1 : i8, i4
  }
  cell.module @m11(in %clk: i1, in %a: i8, in %b: i8, in %c: i4, out o: i8, out p: i4) {
    %v0 = logic.and %a, %b : i8
    %v1 = logic.and %a, %a : i8
    %v2 = logic.add %a, %a : i8
    %v3 = logic.add %v1, %a : i8
    %v4 = logic.mul %b, %b : i8
    %v5 = logic.mul %b, %a : i8
    %n = logic.low %v0 {bits = 4 : i8} : (i8) -> i4
    %next = logic.add %v2, %v3 : i8
    %state = seq.reg %next, %clk : (i8, i1) -> i8
    %odd0 = logic.low %a {bits = 7 : i8} : (i8) -> i7
    %i0:2 = cell.instance "u11" @m12(clk: %clk: i1, a: %v1: i8, b: %v0: i8, c: %c: i4, z: %odd0: i7) -> (o: i8, p: i4)
    %i1:2 = cell.instance "u11" @m21(clk: %clk: i1, a: %v4: i8, b: %v4: i8, c: %i0#1: i4) -> (o: i8, p: i4)
    cell.always %clk : i1 {
      logic.trace %v2 : i8
    }
    cell.output %i1#0, %i1#1 : i8, i4
  }
  cell.module @m12(in %clk: i1, in %a: i8, in %b: i8, in %c: i4, in %z: i7, out o: i8, out p: i4) {
    %v0 = logic.and %b, %b : i8
    %v1 = logic.and %a, %a : i8
    %v2 = logic.add %a, %a : i8
    %v3 = logic.and %v0, %v2 : i8
    %v4 = logic.and %v1, %v1 : i8
    %v5 = logic.add %v1, %a : i8
    %n = logic.low %v3 {bits = 4 : i8} : (i8) -> i4
    %next = logic.add %state, %v3 : i8
    %state = seq.reg %next, %clk : (i8, i1) -> i8
    %f, %g = logic.fuse %v5, %n {mode = 2 : i8} : (i8, i4) -> (i8, i4)
    %i0:2 = cell.instance "u12" @m13(clk: %clk: i1, a: %v2: i8, b: %v1: i8, c: %g: i4) -> (o: i8, p: i4)
    %i1:2 = cell.instance "u12" @m3(clk: %clk: i1, a: %state: i8, b: %v5: i8, c: %g: i4) -> (o: i8, p: i4)
    cell.always %clk : i1 {
      logic.trace %v2 : i8
    }
    cell.output %i1#0, %i1#1 : i8, i4
  }
  cell.module @m13(in %clk: i1, in %a: i8, in %b: i8, in %c: i4, out o: i8, out p: i4) {
    %v0 = logic.and %a, %a : i8
    %v1 = logic.and %a, %a : i8
    %v2 = logic.add %a, %v0 : i8
    %v3 = logic.and %v1, %a : i8
    %v4 = logic.and %b, %v1 : i8
    %v5 = logic.xor %a, %v0 : i8
    %n = logic.low %v3 {bits = 4 : i8} : (i8) -> i4
    %next = logic.add %v2, %v3 : i8
    %state = seq.reg %next, %clk : (i8, i1) -> i8
    %i0:2 = cell.instance "u13" @m14(clk: %clk: i1, a: %v2: i8, b: %v1: i8, c: %n: i4) -> (o: i8, p: i4)
    %i1:2 = cell.instance "u13" @m18(clk: %clk: i1, a: %b: i8, b: %state: i8, c: %i0#1: i4) -> (o: i8, p: i4)
    cell.always %clk : i1 {
      logic.trace %i0#0 : i8
    }
    cell.output %i1#0, %i1#1 : i8, i4
  }
  cell.module @m14(in %clk: i1, in %a: i8, in %b: i8, in %c: i4, out o: i8, out p: i4) {
    %v0 = logic.xor %a, %a : i8
    %v1 = logic.mul %a, %a : i8
    %v2 = logic.add %a, %v0 : i8
    %v3 = logic.add %a, %a : i8
    %v4 = logic.mul %v0, %v0 : i8
    %v5 = logic.xor %v1, %v4 : i8
    %n = logic.low %b {bits = 4 : i8} : (i8) -> i4
    %next = logic.add %v2, %v3 : i8
    %state = seq.reg %next, %clk : (i8, i1) -> i8
    %i0:2 = cell.instance "u14" @m15(clk: %clk: i1, a: %v3: i8, b: %b: i8, c: %c: i4) -> (o: i8, p: i4)
    %i1:2 = cell.instance "u14" @m16(clk: %clk: i1, a: %v0: i8, b: %v0: i8, c: %c: i4) -> (o: i8, p: i4)
    cell.always %clk : i1 {
      logic.trace %v3 : i8
    }
    cell.output %i1#0, %i1#1 : i8, i4
  }
  cell.module @m15(in %clk: i1, in %a: i8, in %b: i8, in %c: i4, out o: i8, out p: i4) {
    %v0 = logic.and %b, %a : i8
    %v1 = logic.xor %a, %a : i8
    %v2 = logic.xor %a, %v0 : i8
    %v3 = logic.mul %b, %v0 : i8
    %v4 = logic.add %v2, %b : i8
    %v5 = logic.xor %v3, %v4 : i8
    %n = logic.low %v2 {bits = 4 : i8} : (i8) -> i4
    %next = logic.add %v2, %v3 : i8
    %state = seq.reg %next, %clk : (i8, i1) -> i8
    %i0:2 = cell.instance "u15" @m16(clk: %clk: i1, a: %v5: i8, b: %v4: i8, c: %n: i4) -> (o: i8, p: i4)
    %i1:2 = cell.instance "u15" @m2(clk: %clk: i1, a: %state: i8, b: %v5: i8, c: %i0#1: i4) -> (o: i8, p: i4)
    cell.always %clk : i1 {
      logic.trace %v5 : i8
    }
    cell.output %i1#0, %i1#1 : i8, i4
  }
  cell.module @m16(in %clk: i1, in %a: i8, in %b: i8, in %c: i4, out o: i8, out p: i4) {
    %v0 = logic.and %a, %b : i8
    %v1 = logic.mul %a, %b : i8
    %v2 = logic.add %a, %v1 : i8
    %v3 = logic.xor %a, %v0 : i8
    %v4 = logic.xor %v2, %b : i8
    %v5 = logic.and %v0, %v4 : i8
    %n = logic.low %v4 {bits = 4 : i8} : (i8) -> i4
    %next = logic.add %v2, %v3 : i8
    %state = seq.reg %next, %clk : (i8, i1) -> i8
    %i0:2 = cell.instance "u16" @m17(clk: %clk: i1, a: %v4: i8, b: %v0: i8, c: %c: i4) -> (o: i8, p: i4)
    %i1:2 = cell.instance "u16" @m18(clk: %clk: i1, a: %v1: i8, b: %v5: i8, c: %c: i4) -> (o: i8, p: i4)
    cell.always %clk : i1 {
      logic.trace %v0 : i8
    }
    cell.output %i1#0, %i1#1 : i8, i4
  }
  cell.module @m17(in %clk: i1, in %a: i8, in %b: i8, in %c: i4, out o: i8, out p: i4) {
    %v0 = logic.xor %b, %b : i8
    %v1 = logic.mul %a, %b : i8
    %v2 = logic.mul %v1, %b : i8
    %v3 = logic.and %v0, %v2 : i8
    %v4 = logic.add %v3, %b : i8
    %v5 = logic.and %a, %v4 : i8
    %n = logic.low %v0 {bits = 4 : i8} : (i8) -> i4
    %next = logic.add %v2, %v3 : i8
    %state = seq.reg %next, %clk : (i8, i1) -> i8
    %i0:2 = cell.instance "u17" @m18(clk: %clk: i1, a: %v1: i8, b: %v2: i8, c: %n: i4) -> (o: i8, p: i4)
    %i1:2 = cell.instance "u17" @m16(clk: %clk: i1, a: %v2: i8, b: %state: i8, c: %n: i4) -> (o: i8, p: i4)
    cell.always %clk : i1 {
      logic.trace %v0 : i8
    }
    cell.output %i1#0, %i1#1 : i8, i4
  }
  cell.module @m18(in %clk: i1, in %a: i8, in %b: i8, in %c: i4, out o: i8, out p: i4) {
    %v0 = logic.add %b, %a : i8
    %v1 = logic.mul %v0, %v0 : i8
    %v2 = logic.and %b, %b : i8
    %v3 = logic.add %v1, %b : i8
    %v4 = logic.mul %v1, %v3 : i8
    %v5 = logic.and %v3, %v3 : i8
    %n = logic.low %v4 {bits = 4 : i8} : (i8) -> i4
    %next = logic.add %v2, %v3 : i8
    %state = seq.reg %next, %clk : (i8, i1) -> i8
    %i0:2 = cell.instance "u18" @m19(clk: %clk: i1, a: %v0: i8, b: %state: i8, c: %c: i4) -> (o: i8, p: i4)
    %i1:2 = cell.instance "u18" @m16(clk: %clk: i1, a: %state: i8, b: %b: i8, c: %n: i4) -> (o: i8, p: i4)
    cell.always %clk : i1 {
      logic.trace %i1#0 : i8
    }
    cell.output %i1#0, %i1#1 : i8, i4
  }
  cell.module @m19(in %clk: i1, in %a: i8, in %b: i8, in %c: i4, out o: i8, out p: i4) {
    %v0 = logic.add %a, %b : i8
    %v1 = logic.add %a, %v0 : i8
    %v2 = logic.mul %v1, %b : i8
    %v3 = logic.xor %v1, %v1 : i8
    %v4 = logic.xor %v0, %v1 : i8
    %v5 = logic.xor %v2, %v1 : i8
    %n = logic.low %b {bits = 4 : i8} : (i8) -> i4
    %next = logic.add %v2, %v3 : i8
    %state = seq.reg %next, %clk : (i8, i1) -> i8
    %i0:2 = cell.instance "u19" @m20(clk: %clk: i1, a: %state: i8, b: %v4: i8, c: %c: i4) -> (o: i8, p: i4)
    %i1:2 = cell.instance "u19" @m13(clk: %clk: i1, a: %v2: i8, b: %v2: i8, c: %c: i4) -> (o: i8, p: i4)
    cell.always %clk : i1 {
      logic.trace %v4 : i8
    }
    cell.output %i1#0, %i1#1 : i8, i4
  }
  cell.module @m20(in %clk: i1, in %a: i8, in %b: i8, in %c: i4, out o: i8, out p: i4) {
    %v0 = logic.mul %a, %a : i8
    %v1 = logic.add %v0, %a : i8
    %v2 = logic.xor %b, %v0 : i8
    %v3 = logic.xor %b, %v0 : i8
    %v4 = logic.and %v2, %b : i8
    %v5 = logic.and %v0, %v2 : i8
    %n = logic.low %v5 {bits = 4 : i8} : (i8) -> i4
    %next = logic.add %v2, %v3 : i8
    %state = seq.reg %next, %clk : (i8, i1) -> i8
    %i0:2 = cell.instance "u20" @m21(clk: %clk: i1, a: %state: i8, b: %v3: i8, c: %n: i4) -> (o: i8, p: i4)
    %i1:2 = cell.instance "u20" @m5(clk: %clk: i1, a: %v4: i8, b: %b: i8, c: %c: i4) -> (o: i8, p: i4)
    cell.always %clk : i1 {
      logic.trace %i0#0 : i8
    }
    cell.output %i1#0, %i1#1 : i8, i4
  }
  cell.module @m21(in %clk: i1, in %a: i8, in %b: i8, in %c: i4, out o: i8, out p: i4) {
    %v0 = logic.and %b, %a : i8
    %v1 = logic.add %a, %a : i8
    %v2 = logic.xor %a, %v0 : i8
    %v3 = logic.and %a, %v2 : i8
    %v4 = logic.mul %v2, %v0 : i8
    %v5 = logic.and %v2, %v3 : i8
    %n = logic.low %v3 {bits = 4 : i8} : (i8) -> i4
    %next = logic.add %v2, %v3 : i8
    %state = seq.reg %next, %clk : (i8, i1) -> i8
    %i0:2 = cell.instance "u21" @m22(clk: %clk: i1, a: %b: i8, b: %v5: i8, c: %n: i4) -> (o: i8, p: i4)
    %i1:2 = cell.instance "u21" @m0(clk: %clk: i1, a: %v3: i8, b: %v2: i8, c: %i0#1: i4) -> (o: i8, p: i4)
    cell.always %clk : i1 {
      logic.trace %v4 : i8
    }
    cell.output %i1#0, %i1#1 : i8, i4
  }
  cell.module @m22(in %clk: i1, in %a: i8, in %b: i8, in %c: i4, out o: i8, out p: i4) {
    %v0 = logic.add %b, %b : i8
    %v1 = logic.mul %v0, %b : i8
    %v2 = logic.and %b, %a : i8
    %v3 = logic.xor %v2, %v2 : i8
    %v4 = logic.mul %v1, %v2 : i8
    %v5 = logic.and %v3, %v3 : i8
    %n = logic.low %v0 {bits = 4 : i8} : (i8) -> i4
    %next = logic.add %v2, %v3 : i8
    %state = seq.reg %next, %clk : (i8, i1) -> i8
    %i0:2 = cell.instance "u22" @m23(clk: %clk: i1, a: %state: i8, b: %v1: i8, c: %n: i4) -> (o: i8, p: i4)
    %i1:2 = cell.instance "u22" @m14(clk: %clk: i1, a: %state: i8, b: %a: i8, c: %i0#1: i4) -> (o: i8, p: i4)
    cell.always %clk : i1 {
      logic.trace %v4 : i8
    }
    cell.output %i1#0, %i1#1 : i8, i4
  }
  cell.module @m23(in %clk: i1, in %a: i8, in %b: i8, in %c: i4, out o: i8, out p: i4) {
    %v0 = logic.and %b, %b : i8
    %v1 = logic.add %v0, %v0 : i8
    %v2 = logic.and %v1, %b : i8
    %v3 = logic.xor %a, %v1 : i8
    %v4 = logic.and %v3, %v1 : i8
    %v5 = logic.add %v4, %b : i8
    %n = logic.low %a {bits = 4 : i8} : (i8) -> i4
    %next = logic.add %v2, %v3 : i8
    %state = seq.reg %next, %clk : (i8, i1) -> i8
    %i0:2 = cell.instance "u23" @m0(clk: %clk: i1, a: %v2: i8, b: %v4: i8, c: %n: i4) -> (o: i8, p: i4)
    %i1:2 = cell.instance "u23" @m11(clk: %clk: i1, a: %v0: i8, b: %v5: i8, c: %n: i4) -> (o: i8, p: i4)
    cell.always %clk : i1 {
      logic.trace %v5 : i8
    }
    cell.output %i1#0, %i1#1 : i8, i4
  }
}
