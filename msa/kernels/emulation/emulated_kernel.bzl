"""Kernels for Blackwell as libraries that run on Hopper."""

load("@rules_python//python:defs.bzl", "py_binary")
load("//msa/kernels/runtime:cute_kernel.bzl", "kernel_library")

_ARCH = "sm_90a"

MODES = [
    "eager",
    "lazy",
]

def _emulated_object_impl(ctx):
    arguments = ctx.actions.args()
    arguments.add_all([
        ctx.attr.module,
        ctx.attr.mode,
        ctx.attr.mutation,
        ctx.attr.watchdog_seconds,
        ctx.file._emulator,
        ctx.file._assembler.path + "/nvidia/cu13/bin/ptxas",
    ])
    outputs = [ctx.outputs.object, ctx.outputs.ptx, ctx.outputs.report]
    arguments.add_all(outputs)
    ctx.actions.run(
        executable = ctx.executable.compiler,
        arguments = [arguments],
        inputs = [ctx.file._emulator],
        tools = [ctx.file._assembler],
        outputs = outputs,
        mnemonic = "EmulatedKernel",
        progress_message = "Compiling an emulated kernel, %{label}",
    )

_emulated_object = rule(
    implementation = _emulated_object_impl,
    doc = "A kernel whose device code is emulated: host function and device code in an object file.",
    attrs = {
        "compiler": attr.label(
            cfg = "exec",
            executable = True,
            mandatory = True,
        ),
        "mode": attr.string(mandatory = True),
        "module": attr.string(mandatory = True),
        "mutation": attr.string(),
        "object": attr.output(mandatory = True),
        "ptx": attr.output(mandatory = True),
        "report": attr.output(mandatory = True),
        "watchdog_seconds": attr.int(mandatory = True),
        "_assembler": attr.label(
            allow_single_file = True,
            cfg = "exec",
            default = "//third_party/cutlass:cuda_compilers",
        ),
        "_emulator": attr.label(
            allow_single_file = True,
            default = "//msa/kernels/emulation:emulator.ptx",
        ),
    },
)

def emulated_kernel(
        name,
        package,
        room = "",
        mutation = "",
        modes = MODES,
        watchdog_seconds = 10,
        visibility = None):
    """The kernel of `<package>/<name>.py`, a `cute_kernel`, as libraries for Hopper.

    For each mode of rewrite.py this makes the library `<mode>/<name>.sm_90a.so` and the report
    `<mode>/<name>.sm_90a.json`, which the loader takes for a kernel of the folder `emulation/<mode>`, and
    `<mode>/<name>.sm_100a.ptx`, to whose lines the watchdog refers. With a room or a mutation they are all in the
    folder `<room>`, `<mutation>` or `<room>/<mutation>`. `:<name>`, in such a folder, is all of them.

    Args:
      name: the kernel's name, and its module's.
      package: of the kernel, from the workspace's root.
      room: a folder for the libraries of a kernel whose name is that of its architecture.
      mutation: a defect to put in, as rewrite.py names it, for tests.
      modes: when products run.
      watchdog_seconds: how long a thread may wait for an mbarrier.
      visibility: of all of them.
    """
    home = room + "/" if room else ""
    folder = home + (mutation + "/" if mutation else "")
    compiler = home + name + ".compiler"
    if not native.existing_rule(compiler):
        py_binary(
            name = compiler,
            testonly = True,
            srcs = [Label("//msa/kernels/emulation:compile.py")],
            main = Label("//msa/kernels/emulation:compile.py"),
            deps = [
                Label("//msa/kernels/runtime:compile"),
                Label("//msa/kernels/emulation:rewrite"),
                "//%s:%s.source" % (package, name),
            ],
        )
    outputs = []
    for mode in modes:
        stem = folder + mode + "/" + name
        library = "%s.%s" % (stem, _ARCH)
        _emulated_object(
            name = library,
            testonly = True,
            compiler = ":" + compiler,
            mode = mode,
            module = package.replace("/", ".") + "." + name,
            mutation = mutation,
            object = library + ".o",
            ptx = stem + ".sm_100a.ptx",
            report = library + ".json",
            watchdog_seconds = watchdog_seconds,
        )
        kernel_library(library, testonly = True)
        outputs += [library + ".so", library + ".json", stem + ".sm_100a.ptx"]
    native.filegroup(
        name = folder + name,
        testonly = True,
        srcs = outputs,
        visibility = visibility,
    )
