import torch
from nvfuser import FusionDefinition, DataType

def nvfuser_fusion_id3(fd : FusionDefinition) -> None :
    T0 = fd.define_tensor(shape=[-1, -1], contiguity=[False, True], dtype=DataType.Float, is_cpu=False, stride_order=[1, 0])
    T1, T2 = fd.ops.var_mean(T0, dims=[1], correction=0, keepdim=False)
    T3 = fd.ops.broadcast_in_dim(T2, shape=[2, 2], broadcast_dims=[0])
    T4 = fd.ops.sub(T0, T3)
    fd.add_output(T4)

with FusionDefinition() as fd:
    nvfuser_fusion_id3(fd)

inputs = [
    torch.randn(5, dtype=torch.float32, device='cuda:0').as_strided((2, 2), (3, 1)),
]
fd.execute(inputs)
