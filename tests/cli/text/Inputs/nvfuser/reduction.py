import torch
from nvfuser import FusionDefinition, DataType

def nvfuser_fusion_id7(fd : FusionDefinition) -> None :
    T0 = fd.define_tensor(shape=[-1, -1, -1], contiguity=[True, True, True], dtype=DataType.BFloat16, is_cpu=False, stride_order=[2, 1, 0])
    T1 = fd.define_tensor(shape=[-1], contiguity=[True], dtype=DataType.BFloat16, is_cpu=False, stride_order=[0])
    T2 = fd.define_tensor(shape=[-1, -1, -1], contiguity=[True, True, True], dtype=DataType.BFloat16, is_cpu=False, stride_order=[2, 1, 0])
    T3 = fd.define_tensor(shape=[-1, -1, 1], contiguity=[True, True, None], dtype=DataType.Float, is_cpu=False, stride_order=[2, 1, 0])
    T4 = fd.define_tensor(shape=[-1, -1], contiguity=[True, True], dtype=DataType.BFloat16, is_cpu=False, stride_order=[1, 0])
    T5 = fd.define_tensor(shape=[-1, -1, 1], contiguity=[True, True, None], dtype=DataType.Float, is_cpu=False, stride_order=[2, 1, 0])
    T6 = fd.ops.cast(T0, dtype=DataType.Float)
    T7 = fd.ops.cast(T2, dtype=DataType.Float)
    S8 = fd.define_scalar(8, dtype=DataType.Int)
    S9 = fd.define_scalar(128, dtype=DataType.Int)
    S10 = fd.define_scalar(1024, dtype=DataType.Int)
    V11 = fd.define_vector([S8, S9, S10], dtype=DataType.Int)
    T12 = fd.ops.broadcast_in_dim(T1, shape=V11, broadcast_dims=[2])
    T13 = fd.ops.cast(T12, dtype=DataType.Float)
    T14 = fd.ops.broadcast_in_dim(T3, shape=V11, broadcast_dims=[0, 1, 2])
    T15 = fd.ops.broadcast_in_dim(T5, shape=V11, broadcast_dims=[0, 1, 2])
    T16 = fd.ops.sub(T6, T14)
    T17 = fd.ops.mul(T16, T15)
    T18 = fd.ops.mul(T7, T13)
    T19 = fd.ops.mul(T18, T17)
    T20 = fd.ops.sum(T19, dims=[2], keepdim=False, dtype=DataType.Float)
    T21 = fd.ops.sum(T18, dims=[2], keepdim=False, dtype=DataType.Float)
    S22 = fd.define_scalar(8, dtype=DataType.Int)
    S23 = fd.define_scalar(128, dtype=DataType.Int)
    S24 = fd.define_scalar(1, dtype=DataType.Int)
    V25 = fd.define_vector([S22, S23, S24], dtype=DataType.Int)
    T26 = fd.ops.broadcast_in_dim(T20, shape=V25, broadcast_dims=[0, 1])
    T27 = fd.ops.broadcast_in_dim(T21, shape=V25, broadcast_dims=[0, 1])
    S28 = fd.define_scalar(0.0009765625, dtype=DataType.Double)
    T29 = fd.ops.mul(T26, S28)
    T30 = fd.ops.mul(T27, S28)
    T31 = fd.ops.broadcast_in_dim(T29, shape=V11, broadcast_dims=[0, 1, 2])
    T32 = fd.ops.broadcast_in_dim(T30, shape=V11, broadcast_dims=[0, 1, 2])
    T33 = fd.ops.mul(T17, T31)
    T34 = fd.ops.sub(T18, T33)
    T35 = fd.ops.sub(T34, T32)
    T36 = fd.ops.mul(T35, T15)
    T37 = fd.ops.set(T4)
    T38 = fd.ops.permute(T37, dims=[1, 0])
    T39 = fd.ops.broadcast_in_dim(T38, shape=V11, broadcast_dims=[1, 2])
    T40 = fd.ops.sum(T39, dims=[1], keepdim=False, dtype=DataType.BFloat16)
    T41 = fd.ops.cast(T40, dtype=DataType.Float)
    S42 = fd.define_scalar(8, dtype=DataType.Int)
    S43 = fd.define_scalar(1, dtype=DataType.Int)
    S44 = fd.define_scalar(1024, dtype=DataType.Int)
    V45 = fd.define_vector([S42, S43, S44], dtype=DataType.Int)
    T46 = fd.ops.broadcast_in_dim(T41, shape=V45, broadcast_dims=[0, 2])
    T47 = fd.ops.broadcast_in_dim(T46, shape=V11, broadcast_dims=[0, 1, 2])
    T48 = fd.ops.add(T36, T47)
    T49 = fd.ops.cast(T48, dtype=DataType.BFloat16)
    T50 = fd.ops.mul(T7, T17)
    T51 = fd.ops.sum(T50, dims=[0, 1], keepdim=False, dtype=DataType.Float)
    T52 = fd.ops.cast(T51, dtype=DataType.BFloat16)
    fd.add_output(T49)
    fd.add_output(T52)
    fd.add_output(T26)

with FusionDefinition() as fd:
    nvfuser_fusion_id7(fd)

inputs = [
    torch.randn(1048576, dtype=torch.bfloat16, device='cuda:0').as_strided((8, 128, 1024), (131072, 1024, 1)),
    torch.randn(1024, dtype=torch.bfloat16, device='cuda:0').as_strided((1024,), (1,)),
    torch.randn(1048576, dtype=torch.bfloat16, device='cuda:0').as_strided((8, 128, 1024), (131072, 1024, 1)),
    torch.randn(1024, dtype=torch.float32, device='cuda:0').as_strided((8, 128, 1), (128, 1, 1)),
    torch.randn(131072, dtype=torch.bfloat16, device='cuda:0').as_strided((1024, 128), (128, 1)),
    torch.randn(1024, dtype=torch.float32, device='cuda:0').as_strided((8, 128, 1), (128, 1, 1)),
]
fd.execute(inputs)
