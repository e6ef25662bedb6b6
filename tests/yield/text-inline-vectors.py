# TEST: python3 -IS %cli/Inputs/fake-nvfuser reduction "$1" 2>&1 | grep -q INTERNAL
import torch
from nvfuser import FusionDefinition, DataType

def nvfuser_fusion_id1(fd : FusionDefinition) -> None :
    T0 = fd.define_tensor(shape=[-1, -1], contiguity=[True, True], dtype=DataType.BFloat16, is_cpu=False, stride_order=[1, 0])
    T1 = fd.ops.permute(T0, dims=[1, 0])
    S2 = fd.define_scalar(2, dtype=DataType.Int)
    S3 = fd.define_scalar(3, dtype=DataType.Int)
    V4 = fd.define_vector([S2, S3], dtype=DataType.Int)
    T5 = fd.ops.broadcast_in_dim(T1, shape=V4, broadcast_dims=[0, 1])
    T6 = fd.ops.sum(T5, dims=[1], keepdim=False, dtype=DataType.Float)
    fd.add_output(T6)

with FusionDefinition() as fd:
    nvfuser_fusion_id1(fd)

inputs = [
    torch.randn(6, dtype=torch.bfloat16, device='cuda:0').as_strided((3, 2), (2, 1)),
]
fd.execute(inputs)
