"""What the adapter calls of libtriton: the printer falls back to the generic
form once the module does not verify."""
import toy


class Module:
    def __init__(self, text):
        self.text, self.mark = text, None

    def set_attr(self, name, value):
        self.mark = f"{name} = {value} : i32"

    def __str__(self):
        if self.mark is None:
            return self.text
        return toy.generic(self.text).replace("}) : () -> ()\n\n", f"}}) {{{self.mark}}} : () -> ()\n\n")


class ir:
    def context():
        return object()

    def load_dialects(context):
        pass

    def parse_mlir_module(path, context):
        with open(path, encoding="utf-8") as file:
            return Module(file.read())

    class builder:
        def __init__(self, context):
            pass

        def get_int32_attr(self, value):
            return value


class backend:
    def load_dialects(context):
        pass
