import torch
from nvfuser import FusionDefinition, DataType

def nvfuser_fusion_id5(fd : FusionDefinition) -> None :
    T0 = fd.define_tensor(shape=[-1, 1, -1], contiguity=[True, None, True], dtype=DataType.Float, is_cpu=False, stride_order=[2, 1, 0])
    T1 = fd.ops.broadcast_in_dim(T0, shape=[2, 2, 2], broadcast_dims=[0, 1, 2])
    T2 = fd.ops.reshape(T1, new_shape=[4, 2])
    T3 = fd.ops.max(T2, dims=[1], keepdim=True, dtype=DataType.Float)
    fd.add_output(T3)

with FusionDefinition() as fd:
    nvfuser_fusion_id5(fd)

inputs = [
    torch.randn(4, dtype=torch.float32, device='cuda:0').as_strided((2, 1, 2), (2, 2, 1)),
]
fd.execute(inputs)
