"""jax_compile.py FILE: compile a StableHLO module for the CPU."""
import os
import sys

os.environ["JAX_PLATFORMS"] = "cpu"

from jax.extend import backend  # noqa: E402  (the environment comes first)
from jaxlib import xla_client  # noqa: E402

client = backend.get_backend("cpu")
with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
devices = xla_client.DeviceList(tuple(client.devices()[:1]))
client.compile_and_load(text, devices, xla_client.CompileOptions())
