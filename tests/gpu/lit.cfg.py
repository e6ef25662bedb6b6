"""lit configuration: lit-22 -sv -D build=BUILD_DIR tests/gpu

Like tests/cli, on a card.  A test runs where its stack has one (features cuda,
hip, hip-on-cuda: HIP's functions on CUDA's, tests/fake/hip_on_cuda.c); else it
is unsupported, and why is said.  %devices: all that are there, as --device
takes them; %chip: CUDA's.  $CUDA_CHIP and
$HIP_CHIP name others than sm_90 and gfx90a.
"""

import os
import shutil
import subprocess

build = os.path.abspath(lit_config.params.get("build", "build"))
here = os.path.dirname(os.path.abspath(__file__))
cli = os.path.join(os.path.dirname(here), "cli")
lit_config.load_config(config, os.path.join(cli, "lit.cfg.py"))
config.test_source_root = here
config.test_exec_root = os.path.join(build, "tests", "gpu")
for name in ("CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "ROCM_PATH"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
chips = {"cuda": os.environ.get("CUDA_CHIP", "sm_90"), "hip": os.environ.get("HIP_CHIP", "gfx90a")}


def why_not(device, environment):
    """What a first run on the device says; None where it goes well."""
    run = subprocess.run(
        ["culprit-worker-mlir", "--run", "jit", "--device", device, f"{cli}/jit/Inputs/plain.mlir"],
        env=dict(config.environment, **environment), capture_output=True, text=True, timeout=120,
    )
    return run.stderr.strip().split("\n")[-1] if run.returncode else None


on_cuda = {"CULPRIT_LIBHIP": os.path.join(build, "fake", "libhip_on_cuda.so")}
devices = []
for feature, device, environment in [
    ("cuda", "cuda:" + chips["cuda"], {}),
    ("hip", "hip:" + chips["hip"], {}),
    ("hip-on-cuda", "hip:" + chips["cuda"], on_cuda),
]:
    if feature == "hip-on-cuda" and "hip" in config.available_features:
        continue  # one library of HIP in all tests
    reason = why_not(device, environment)
    if reason:
        lit_config.note(f"gpu: {feature} skipped: {reason}")
        continue
    config.available_features.add(feature)
    config.environment.update(environment)
    devices.append(device)
if devices:
    config.available_features.add("card")
else:
    lit_config.note("gpu: no card at hand")
if shutil.which("compute-sanitizer", path=config.environment["PATH"]):
    config.available_features.add("compute-sanitizer")
else:
    lit_config.note("gpu: compute-sanitizer skipped: it is not installed")
config.substitutions += [("%devices", " ".join(devices)), ("%chip", chips["cuda"])]
