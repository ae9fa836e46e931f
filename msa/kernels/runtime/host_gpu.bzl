"""What GPUs this machine has: the repository `msa_host_gpu`."""

load(":archs.bzl", "ARCHS")

_TIMEOUT_S = 30

def _host_gpu_impl(rctx):
    # Without a GPU, or a driver for it, the program is absent or fails.
    program = rctx.which("nvidia-smi")
    capabilities = []
    if program:
        result = rctx.execute(
            [program, "--query-gpu=compute_cap", "--format=csv,noheader"],
            timeout = _TIMEOUT_S,
        )
        if result.return_code == 0:
            capabilities = result.stdout.splitlines()
    present = ["sm_%sa" % capability.strip().replace(".", "") for capability in capabilities]
    rctx.file("BUILD.bazel", "")
    rctx.file("archs.bzl", "HOST_ARCHS = %r\n" % [arch for arch in ARCHS if arch in present])

host_gpu = repository_rule(
    implementation = _host_gpu_impl,
    doc = """`archs.bzl`: HOST_ARCHS, the architectures of this machine's GPUs that kernels are compiled for.

nvidia-smi is asked once by each Bazel server: a GPU that comes later is seen after `bazel shutdown`.
""",
    environ = ["PATH"],
    local = True,
)

def _host_gpu_extension_impl(mctx):
    host_gpu(name = "msa_host_gpu")
    return mctx.extension_metadata(reproducible = True)

host_gpu_extension = module_extension(
    implementation = _host_gpu_extension_impl,
    doc = "Makes `msa_host_gpu`.",
)
