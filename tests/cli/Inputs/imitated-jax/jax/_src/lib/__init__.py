import numpy as np

from jax._src.array import ArrayImpl


class xla_client:
    @staticmethod
    def batched_device_put(aval, sharding, xs, devices):
        x = np.asarray(xs[0])
        return ArrayImpl((x if x.dtype is np.float64 and xs[0] is x else x.astype(aval.dtype)).values)
