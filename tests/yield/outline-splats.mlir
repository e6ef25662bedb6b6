// A kernel that takes no tensors: its last operation alone, or all of them.
// OPTIONS: --form opaque
// TOOL: --like '"tt.func".*function_type = \([^()e]*\) -> .*(test.a.*"tt.load".*test.b.*"tt.put"|"tt.splat"\(%[a-z0-9_]*\) : \(f[0-9]*\) -> [^"]*"tt.put"[^"]*"tt.return")'
"builtin.module"() ({
  "tt.func"() <{function_type = (!tt.ptr<f32>) -> (), sym_name = "kernel"}> ({
  ^bb0(%p: !tt.ptr<f32>):
    %at = "tt.splat"(%p) : (!tt.ptr<f32>) -> tensor<8x!tt.ptr<f32>>
    "test.a"() : () -> ()
    %x = "tt.load"(%at) : (tensor<8x!tt.ptr<f32>>) -> tensor<8xf32>
    "test.b"() : () -> ()
    "tt.put"(%x) : (tensor<8xf32>) -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
