import torch
from nvfuser import FusionDefinition, DataType

def nvfuser_fusion_id21(fd : FusionDefinition) -> None :
    T0 = fd.define_tensor(shape=[-1, -1], contiguity=[True, True], dtype=DataType.Float, is_cpu=False, stride_order=[1, 0])
    T1 = fd.define_tensor(shape=[-1, -1], contiguity=[True, True], dtype=DataType.Float, is_cpu=False, stride_order=[1, 0])
    T2 = fd.define_tensor(shape=[-1], contiguity=[True], dtype=DataType.Float, is_cpu=False, stride_order=[0])
    T3 = fd.define_tensor(shape=[384, 768], contiguity=[True, True], dtype=DataType.Half, is_cpu=False, stride_order=[1, 0])
    T4 = fd.define_tensor(shape=[-1, -1], contiguity=[True, True], dtype=DataType.Float, is_cpu=False, stride_order=[1, 0])
    T5 = fd.define_tensor(shape=[-1, 1], contiguity=[True, None], dtype=DataType.Float, is_cpu=False, stride_order=[1, 0])
    T6 = fd.define_tensor(shape=[-1, -1], contiguity=[True, True], dtype=DataType.Half, is_cpu=False, stride_order=[1, 0])
    T7 = fd.define_tensor(shape=[-1, -1], contiguity=[True, True], dtype=DataType.Half, is_cpu=False, stride_order=[1, 0])
    T8 = fd.ops.mul(T0, T4)
    S9 = fd.define_scalar(64, dtype=DataType.Int)
    S10 = fd.define_scalar(384, dtype=DataType.Int)
    V11 = fd.define_vector([S9, S10], dtype=DataType.Int)
    S12 = fd.define_scalar(64, dtype=DataType.Int)
    S13 = fd.define_scalar(768, dtype=DataType.Int)
    V14 = fd.define_vector([S12, S13], dtype=DataType.Int)
    T15 = fd.ops.mean(T8, dims=[1], keepdim=True)
    T16 = fd.ops.broadcast_in_dim(T15, shape=V11, broadcast_dims=[0, 1])
    T17 = fd.ops.sub(T8, T16)
    T18 = fd.ops.mul(T17, T17)
    T19 = fd.ops.mean(T18, dims=[1], keepdim=True)
    S20 = fd.define_scalar(1e-06, dtype=DataType.Double)
    T21 = fd.ops.add(T19, S20)
    T22 = fd.ops.rsqrt(T21)
    T23 = fd.ops.broadcast_in_dim(T22, shape=V11, broadcast_dims=[0, 1])
    T24 = fd.ops.mul(T17, T23)
    T25 = fd.ops.broadcast_in_dim(T5, shape=V11, broadcast_dims=[0, 1])
    T26 = fd.ops.mul(T24, T25)
    T27 = fd.ops.linear(T26, T1)
    T28 = fd.ops.broadcast_in_dim(T2, shape=V14, broadcast_dims=[1])
    T29 = fd.ops.add(T27, T28)
    S30 = fd.define_scalar(0.044715, dtype=DataType.Double)
    S31 = fd.define_scalar(0.7978845608, dtype=DataType.Double)
    S32 = fd.define_scalar(0.5, dtype=DataType.Double)
    S33 = fd.define_scalar(1.0, dtype=DataType.Double)
    T34 = fd.ops.mul(T29, T29)
    T35 = fd.ops.mul(T34, T29)
    T36 = fd.ops.mul(T35, S30)
    T37 = fd.ops.add(T29, T36)
    T38 = fd.ops.mul(T37, S31)
    T39 = fd.ops.tanh(T38)
    T40 = fd.ops.add(T39, S33)
    T41 = fd.ops.mul(T29, S32)
    T42 = fd.ops.mul(T41, T40)
    T43 = fd.ops.cast(T7, dtype=DataType.Float)
    T44 = fd.ops.add(T42, T43)
    T45 = fd.ops.cast(T44, dtype=DataType.Half)
    T46 = fd.ops.cast(T3, dtype=DataType.Float)
    T47 = fd.ops.abs(T46)
    T48 = fd.ops.max(T47, dims=[1], keepdim=True, dtype=DataType.Float)
    S49 = fd.define_scalar(384, dtype=DataType.Int)
    S50 = fd.define_scalar(768, dtype=DataType.Int)
    V51 = fd.define_vector([S49, S50], dtype=DataType.Int)
    T52 = fd.ops.broadcast_in_dim(T48, shape=V51, broadcast_dims=[0, 1])
    T53 = fd.ops.div(T46, T52)
    T54 = fd.ops.cast(T53, dtype=DataType.Half)
    T55 = fd.ops.permute(T54, dims=[1, 0])
    T56 = fd.ops.matmul(T45, T55)
    T57 = fd.ops.cast(T56, dtype=DataType.Float)
    T58 = fd.ops.cast(T6, dtype=DataType.Float)
    T59 = fd.ops.add(T57, T58)
    T60 = fd.ops.add(T59, T26)
    S61 = fd.define_scalar(0.0, dtype=DataType.Double)
    T62 = fd.ops.gt(T60, S61)
    T63 = fd.ops.where(T62, T60, T4)
    T64 = fd.ops.cast(T63, dtype=DataType.Half)
    T65 = fd.ops.sum(T63, dims=[1], keepdim=False, dtype=DataType.Float)
    fd.add_output(T64)
    fd.add_output(T65)
    fd.add_output(T62)
    fd.add_output(T44)

with FusionDefinition() as fd:
    nvfuser_fusion_id21(fd)

inputs = [
    torch.randn(24576, dtype=torch.float32, device='cuda:0').as_strided((64, 384), (384, 1)),
    torch.randn(294912, dtype=torch.float32, device='cuda:0').as_strided((768, 384), (384, 1)),
    torch.randn(768, dtype=torch.float32, device='cuda:0').as_strided((768,), (1,)),
    torch.randn(294912, dtype=torch.float16, device='cuda:0').as_strided((384, 768), (768, 1)),
    torch.randn(24576, dtype=torch.float32, device='cuda:0').as_strided((64, 384), (384, 1)),
    torch.randn(64, dtype=torch.float32, device='cuda:0').as_strided((64, 1), (1, 1)),
    torch.randn(24576, dtype=torch.float16, device='cuda:0').as_strided((64, 384), (384, 1)),
    torch.randn(49152, dtype=torch.float16, device='cuda:0').as_strided((64, 768), (768, 1)),
]
fd.execute(inputs)
