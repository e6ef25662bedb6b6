class ASTSource:
    def __init__(self, fn, signature, constexprs=None):
        self.fn, self.signature, self.constexprs = fn, signature, constexprs
