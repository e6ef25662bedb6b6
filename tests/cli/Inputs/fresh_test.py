"""The lit format of these tests; in a module so that workers can load it."""
import os
import shutil

import lit.formats

from cost import Cost


class FreshTest(lit.formats.ShTest):
    """A shell test that starts without what an earlier run of it left."""

    def execute(self, test, lit_config):
        base = test.getExecPath()
        folder = os.path.join(os.path.dirname(base), "Output")
        prefix = os.path.basename(base) + ".tmp"
        if os.path.isdir(folder):
            for name in os.listdir(folder):
                path = os.path.join(folder, name)
                if name.startswith(prefix):
                    if os.path.isdir(path) and not os.path.islink(path):
                        shutil.rmtree(path, ignore_errors=True)
                    else:
                        os.unlink(path)
        environment = test.config.environment
        test.config.environment = dict(
            environment, XDG_CACHE_HOME=os.path.join(folder, prefix + ".cache")
        )
        with Cost(lit_config.params.get("costs"), "cli/" + "/".join(test.path_in_suite)):
            try:
                return super().execute(test, lit_config)
            finally:
                test.config.environment = environment
