import torch
from nvfuser import FusionDefinition, DataType

def nvfuser_fusion_id21(fd : FusionDefinition) -> None :
    T0 = fd.define_tensor(shape=[-1, -1], contiguity=[True, True], dtype=DataType.Half, is_cpu=False, stride_order=[1, 0])
    T1 = fd.ops.cast(T0, dtype=DataType.Half)
    T2 = fd.ops.permute(T1, dims=[1, 0])
    T3 = fd.ops.matmul(T0, T2)
    fd.add_output(T3)

with FusionDefinition() as fd:
    nvfuser_fusion_id21(fd)

inputs = [
    torch.randn(4, dtype=torch.float16, device='cuda:0').as_strided((2, 2), (2, 1)),
]
fd.execute(inputs)
