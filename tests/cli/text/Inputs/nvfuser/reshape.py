import torch
from nvfuser import FusionDefinition, DataType

def nvfuser_fusion_id5(fd : FusionDefinition) -> None :
    T0 = fd.define_tensor(shape=[-1, -1, 1, -1, -1], contiguity=[True, True, None, True, True], dtype=DataType.BFloat16, is_cpu=False, stride_order=[4, 3, 2, 1, 0])
    T1 = fd.define_tensor(shape=[-1, -1, -1, -1], contiguity=[True, True, True, True], dtype=DataType.BFloat16, is_cpu=False, stride_order=[3, 1, 2, 0])
    T2 = fd.define_tensor(shape=[-1, -1, -1, -1], contiguity=[True, True, True, True], dtype=DataType.BFloat16, is_cpu=False, stride_order=[3, 2, 1, 0])
    S3 = fd.define_scalar(2, dtype=DataType.Int)
    S4 = fd.define_scalar(4, dtype=DataType.Int)
    S5 = fd.define_scalar(3, dtype=DataType.Int)
    S6 = fd.define_scalar(32, dtype=DataType.Int)
    S7 = fd.define_scalar(16, dtype=DataType.Int)
    V8 = fd.define_vector([S3, S4, S5, S6, S7], dtype=DataType.Int)
    S9 = fd.define_scalar(2, dtype=DataType.Int)
    S10 = fd.define_scalar(12, dtype=DataType.Int)
    S11 = fd.define_scalar(32, dtype=DataType.Int)
    S12 = fd.define_scalar(16, dtype=DataType.Int)
    V13 = fd.define_vector([S9, S10, S11, S12], dtype=DataType.Int)
    T14 = fd.ops.cast(T1, dtype=DataType.Float)
    T15 = fd.ops.cast(T0, dtype=DataType.Float)
    S16 = fd.define_scalar(0.25, dtype=DataType.Double)
    T17 = fd.ops.mul(T15, S16)
    T18 = fd.ops.cast(T17, dtype=DataType.BFloat16)
    T19 = fd.ops.broadcast_in_dim(T18, shape=V8, broadcast_dims=[0, 1, 2, 3, 4])
    T20 = fd.ops.reshape(T19, new_shape=V13)
    S21 = fd.define_scalar(2, dtype=DataType.Int)
    S22 = fd.define_scalar(4, dtype=DataType.Int)
    S23 = fd.define_scalar(1, dtype=DataType.Int)
    S24 = fd.define_scalar(32, dtype=DataType.Int)
    S25 = fd.define_scalar(16, dtype=DataType.Int)
    V26 = fd.define_vector([S21, S22, S23, S24, S25], dtype=DataType.Int)
    T27 = fd.ops.broadcast_in_dim(T14, shape=V26, broadcast_dims=[0, 1, 3, 4])
    T28 = fd.ops.expand(T27, shape=V8)
    T29 = fd.ops.reshape(T28, new_shape=V13)
    T30 = fd.ops.cast(T2, dtype=DataType.Float)
    T31 = fd.ops.cast(T20, dtype=DataType.Float)
    T32 = fd.ops.mul(T30, T31)
    T33 = fd.ops.sum(T32, dims=[3], keepdim=True, dtype=DataType.Float)
    T34 = fd.ops.broadcast_in_dim(T33, shape=V13, broadcast_dims=[0, 1, 2, 3])
    T35 = fd.ops.mul(T34, T29)
    T36 = fd.ops.exp(T35)
    T37 = fd.ops.max(T20, dims=[2], keepdim=True, dtype=DataType.Float)
    T38 = fd.ops.broadcast_in_dim(T37, shape=V13, broadcast_dims=[0, 1, 2, 3])
    T39 = fd.ops.div(T36, T38)
    T40 = fd.ops.permute(T39, dims=[0, 2, 1, 3])
    S41 = fd.define_scalar(2, dtype=DataType.Int)
    S42 = fd.define_scalar(32, dtype=DataType.Int)
    S43 = fd.define_scalar(192, dtype=DataType.Int)
    V44 = fd.define_vector([S41, S42, S43], dtype=DataType.Int)
    T45 = fd.ops.reshape(T40, new_shape=V44)
    T46 = fd.ops.cast(T45, dtype=DataType.BFloat16)
    fd.add_output(T46)
    fd.add_output(T33)

with FusionDefinition() as fd:
    nvfuser_fusion_id5(fd)

inputs = [
    torch.randn(4096, dtype=torch.bfloat16, device='cuda:0').as_strided((2, 4, 1, 32, 16), (2048, 512, 512, 16, 1)),
    torch.randn(4096, dtype=torch.bfloat16, device='cuda:0').as_strided((2, 4, 32, 16), (2048, 16, 64, 1)),
    torch.randn(12288, dtype=torch.bfloat16, device='cuda:0').as_strided((2, 12, 32, 16), (6144, 512, 16, 1)),
]
fd.execute(inputs)
