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
            capabilities = result.stdout.split()
    present = ["sm_%sa" % capability.replace(".", "") for capability in capabilities]
    rctx.file("BUILD.bazel", "")
    rctx.file("archs.bzl", '"""Architectures of this machine\'s GPUs that kernels are compiled for."""\n\n' +
                           "HOST_ARCHS = %r\n" % [arch for arch in ARCHS if arch in present])

host_gpu = repository_rule(
    implementation = _host_gpu_impl,
    doc = "`archs.bzl` with HOST_ARCHS, as nvidia-smi tells; asked anew by each Bazel server.",
    local = True,
)

def _host_gpu_extension_impl(mctx):
    host_gpu(name = "msa_host_gpu")
    return mctx.extension_metadata(reproducible = True)

host_gpu_extension = module_extension(
    implementation = _host_gpu_extension_impl,
    doc = "Makes `msa_host_gpu`.",
)
