import torch
from nvfuser import FusionDefinition, DataType

def nvfuser_fusion_id3(fd : FusionDefinition) -> None :
    T0 = fd.define_tensor(shape=[-1, -1, -1, -1], contiguity=[True, True, False, True], dtype=DataType.Float, is_cpu=False, stride_order=[3, 2, 1, 0])
    T1 = fd.define_tensor(shape=[-1], contiguity=[True], dtype=DataType.Float, is_cpu=False, stride_order=[0])
    T2 = fd.define_tensor(shape=[-1], contiguity=[True], dtype=DataType.Float, is_cpu=False, stride_order=[0])
    T3 = fd.define_tensor(shape=[-1, -1, -1, -1], contiguity=[True, True, True, True], dtype=DataType.Float, is_cpu=False, stride_order=[3, 2, 1, 0])
    T4 = fd.define_tensor(shape=[-1, -1], contiguity=[True, True], dtype=DataType.Int, is_cpu=False, stride_order=[1, 0])
    T5 = fd.ops.sigmoid(T3)
    T6 = fd.ops.mul(T3, T5)
    S7 = fd.define_scalar(1e-05, dtype=DataType.Double)
    S8 = fd.define_scalar(1.0, dtype=DataType.Double)
    T9 = fd.ops.relu(T0)
    T10 = fd.ops.tanh(T9)
    S11 = fd.define_scalar(4, dtype=DataType.Int)
    S12 = fd.define_scalar(96, dtype=DataType.Int)
    S13 = fd.define_scalar(32, dtype=DataType.Int)
    S14 = fd.define_scalar(28, dtype=DataType.Int)
    V15 = fd.define_vector([S11, S12, S13, S14], dtype=DataType.Int)
    S16 = fd.define_scalar(4, dtype=DataType.Int)
    S17 = fd.define_scalar(96, dtype=DataType.Int)
    S18 = fd.define_scalar(1, dtype=DataType.Int)
    S19 = fd.define_scalar(1, dtype=DataType.Int)
    V20 = fd.define_vector([S16, S17, S18, S19], dtype=DataType.Int)
    T21, T22 = fd.ops.var_mean(T10, dims=[2, 3], correction=0, keepdim=False)
    T23 = fd.ops.broadcast_in_dim(T21, shape=V20, broadcast_dims=[0, 1])
    T24 = fd.ops.mul(T22, S8)
    T25 = fd.ops.broadcast_in_dim(T22, shape=V15, broadcast_dims=[0, 1])
    T26 = fd.ops.add(T23, S7)
    T27 = fd.ops.rsqrt(T26)
    T28 = fd.ops.broadcast_in_dim(T27, shape=V15, broadcast_dims=[0, 1, 2, 3])
    T29 = fd.ops.sub(T10, T25)
    T30 = fd.ops.mul(T29, T28)
    T31 = fd.ops.broadcast_in_dim(T1, shape=V15, broadcast_dims=[1])
    T32 = fd.ops.broadcast_in_dim(T2, shape=V15, broadcast_dims=[1])
    T33 = fd.ops.mul(T30, T31)
    T34 = fd.ops.add(T33, T32)
    T35 = fd.ops.add(T34, T6)
    T36 = fd.ops.cast(T4, dtype=DataType.Float)
    T37 = fd.ops.broadcast_in_dim(T36, shape=V15, broadcast_dims=[0, 1])
    T38 = fd.ops.mul(T35, T37)
    T39 = fd.ops.sum(T38, dims=[0, 2, 3], keepdim=False, dtype=DataType.Float)
    T40 = fd.ops.cast(T39, dtype=DataType.BFloat16)
    fd.add_output(T38)
    fd.add_output(T40)
    fd.add_output(T24)

with FusionDefinition() as fd:
    nvfuser_fusion_id3(fd)

inputs = [
    torch.randn(393212, dtype=torch.float32, device='cuda:0').as_strided((4, 96, 32, 28), (98304, 1024, 32, 1)),
    torch.randn(96, dtype=torch.float32, device='cuda:0').as_strided((96,), (1,)),
    torch.randn(96, dtype=torch.float32, device='cuda:0').as_strided((96,), (1,)),
    torch.randn(344064, dtype=torch.float32, device='cuda:0').as_strided((4, 96, 32, 28), (86016, 896, 28, 1)),
    torch.randint(0, 10, (384,), dtype=torch.int64, device='cuda:0').as_strided((4, 96), (96, 1)),
]
fd.execute(inputs)
