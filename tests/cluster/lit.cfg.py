"""lit configuration: tests/cluster/run BUILD_DIR sets the cluster up first.

Like tests/cli; %job SCENARIO: tests/cluster/jobs.py in a directory of its own.
"""

import os
import sys

build = os.path.abspath(lit_config.params.get("build", "build"))
here = os.path.dirname(os.path.abspath(__file__))
lit_config.load_config(config, os.path.join(os.path.dirname(here), "cli", "lit.cfg.py"))
config.test_source_root = here
config.test_exec_root = os.path.join(build, "tests", "cluster")
config.environment["SLURM_CONF"] = os.environ["SLURM_CONF"]
config.environment["PATH"] += ":/usr/sbin"
config.substitutions.append(("%job", f"rm -rf %t && mkdir %t && cd %t && {sys.executable} {here}/jobs.py"))
