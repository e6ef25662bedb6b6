from jax._src.array import Primitive

bitcast_convert_type_p = Primitive("bitcast_convert_type")
