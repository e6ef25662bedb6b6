"""lit configuration: lit-22 -sv -D build=BUILD_DIR tests/systems

Like tests/cli, with the wheels of BUILD_DIR/systems (./bootstrap systems)
first on PATH: `python` is the environment's.  %inputs: tests/systems/Inputs.
"""

import os

build = os.path.abspath(lit_config.params.get("build", "build"))
here = os.path.dirname(os.path.abspath(__file__))
lit_config.load_config(config, os.path.join(os.path.dirname(here), "cli", "lit.cfg.py"))
config.test_source_root = here
config.test_exec_root = os.path.join(build, "tests", "systems")
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(build, "systems", "bin"), config.environment["PATH"]]
)
config.substitutions.append(("%inputs", os.path.join(here, "Inputs")))
