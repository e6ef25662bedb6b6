# TEST: python3 -IS %cli/Inputs/fake-nvfuser cat "$1" 2>&1 | grep -q INTERNAL
import torch
from nvfuser import FusionDefinition, DataType

def nvfuser_fusion_id1(fd : FusionDefinition) -> None :
    T0 = fd.define_tensor(shape=[-1, -1], contiguity=[True, True], dtype=DataType.BFloat16, is_cpu=False, stride_order=[1, 0])
    T1 = fd.ops.slice(T0, start_indices=[0, 0], end_indices=[1, 1], strides=[1, 1])
    T2 = fd.ops.cat([T1, T1], dim=1)
    fd.add_output(T2)

with FusionDefinition() as fd:
    nvfuser_fusion_id1(fd)

inputs = [
    torch.randn(480, dtype=torch.bfloat16, device='cuda:0').as_strided((16, 30), (30, 1)),
]
fd.execute(inputs)
