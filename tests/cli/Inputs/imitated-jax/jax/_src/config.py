import contextlib


@contextlib.contextmanager
def enable_x64(on):
    yield
