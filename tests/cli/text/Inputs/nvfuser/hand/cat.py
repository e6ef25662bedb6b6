import torch
from nvfuser import FusionDefinition, DataType

def nvfuser_fusion_id12(fd : FusionDefinition) -> None :
    T0 = fd.define_tensor(shape=[-1], contiguity=[True], dtype=DataType.Float, is_cpu=False, stride_order=[0])
    T1 = fd.ops.slice(T0, start_indices=[0], end_indices=[1], strides=[1])
    T2 = fd.ops.cat([T1, T1], dim=0)
    fd.add_output(T2)

with FusionDefinition() as fd:
    nvfuser_fusion_id12(fd)

inputs = [
    torch.randn(2, dtype=torch.float32, device='cuda:0').as_strided((2,), (1,)),
]
fd.execute(inputs)
