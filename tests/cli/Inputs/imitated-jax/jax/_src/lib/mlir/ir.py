class F32Type:
    get = staticmethod(lambda: "f32")


class F64Type:
    get = staticmethod(lambda: "f64")
