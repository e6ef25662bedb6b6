import torch
from nvfuser import FusionDefinition, DataType

def nvfuser_fusion_id7(fd : FusionDefinition) -> None :
    T0 = fd.define_tensor(shape=[-1, -1], contiguity=[True, True], dtype=DataType.BFloat16, is_cpu=False, stride_order=[1, 0])
    T1 = fd.ops.permute(T0, dims=[1, 0])
    T2 = fd.ops.broadcast_in_dim(T1, shape=[2, 2, 2], broadcast_dims=[1, 2])
    T3 = fd.ops.sum(T2, dims=[1], keepdim=False, dtype=DataType.Float)
    fd.add_output(T3)

with FusionDefinition() as fd:
    nvfuser_fusion_id7(fd)

inputs = [
    torch.randn(4, dtype=torch.bfloat16, device='cuda:0').as_strided((2, 2), (2, 1)),
]
fd.execute(inputs)
