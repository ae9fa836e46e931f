"""Kernels in the CuTe DSL, compiled ahead of time: one action for each architecture."""

load("@rules_cc//cc:defs.bzl", "cc_binary")
load("@rules_python//python:defs.bzl", "py_binary", "py_library")
load(":archs.bzl", "ARCHS", "FAMILIES")

def _cute_object_impl(ctx):
    arguments = ctx.actions.args()
    arguments.add(ctx.label.package.replace("/", ".") + "." + ctx.attr.kernel)
    arguments.add(ctx.attr.arch)
    arguments.add(ctx.file._cuda.path + "/nvidia/cu13/bin/cuobjdump")
    arguments.add_all([ctx.outputs.object, ctx.outputs.cubin, ctx.outputs.report])
    arguments.add(",".join(ctx.attr.instructions))
    arguments.add(ctx.attr.spill_bytes)
    ctx.actions.run(
        executable = ctx.executable.compiler,
        arguments = [arguments],
        tools = [ctx.file._cuda],
        outputs = [ctx.outputs.object, ctx.outputs.cubin, ctx.outputs.report],
        mnemonic = "CuteKernel",
        progress_message = "Compiling kernel %s for %s" % (ctx.attr.kernel, ctx.attr.arch),
    )

_cute_object = rule(
    implementation = _cute_object_impl,
    doc = "A kernel for one architecture: host function and device code in an object file, and what they use.",
    attrs = {
        "arch": attr.string(mandatory = True),
        "compiler": attr.label(
            cfg = "exec",
            executable = True,
            mandatory = True,
        ),
        "cubin": attr.output(mandatory = True),
        "instructions": attr.string_list(),
        "kernel": attr.string(mandatory = True),
        "object": attr.output(mandatory = True),
        "report": attr.output(mandatory = True),
        "spill_bytes": attr.int(),
        "_cuda": attr.label(
            allow_single_file = True,
            cfg = "exec",
            default = "//third_party/cutlass:cuda",
        ),
    },
)

def kernel_library(stem, **kwargs):
    """Links `<stem>.o`, a kernel's host function with its device code, into `<stem>.so`.

    Args:
      stem: of the object, and of the library.
      **kwargs: whatever else `cc_binary` takes.
    """
    cc_binary(
        name = stem + ".so",
        srcs = [stem + ".o"],
        linkshared = True,
        deps = [
            Label("//third_party/cutlass:cuda_dialect_runtime"),
            Label("//third_party/cutlass:cudart"),
        ],
        **kwargs
    )

def cute_kernel(name, deps = [], archs = ARCHS, instructions = [], spill_bytes = 0, visibility = None):
    """Compiles the kernel of `<name>.py` for each architecture.

    The module defines a `cute.jit` host function called `launch`, and its `SIGNATURE`. For each architecture this makes, beside the module's package, the library
    `<name>.<arch>.so` and the report `<name>.<arch>.json`, which the loader reads, and the cubin
    `<name>.<arch>.cubin`. Neither a GPU nor an installation of CUDA takes part.

    Args:
      name: the kernel's name, and its module's.
      deps: Python libraries that the module imports, the DSL aside.
      archs: the architectures to compile for.
      instructions: families of instructions (report.py) that its functions must have between them;
        `//msa/kernels/runtime:resources_test` checks that.
      spill_bytes: how much a function may spill.
      visibility: of the libraries with their reports, `:<name>`, and of `:<name>.cubins`.
    """
    py_library(
        name = name + ".source",
        srcs = [name + ".py"],
        deps = deps + [Label("//third_party/cutlass:cutlass_dsl")],
    )
    py_binary(
        name = name + ".compiler",
        srcs = [Label("//msa/kernels/runtime:compile.py")],
        main = Label("//msa/kernels/runtime:compile.py"),
        deps = [
            ":" + name + ".source",
            Label("//msa/kernels/runtime:report"),
            Label("//msa/kernels/runtime:stand_ins"),
        ],
    )
    for arch in archs:
        stem = name + "." + arch
        _cute_object(
            name = stem,
            arch = arch,
            compiler = ":" + name + ".compiler",
            cubin = stem + ".cubin",
            instructions = instructions,
            kernel = name,
            object = stem + ".o",
            report = stem + ".json",
            spill_bytes = spill_bytes,
        )
        kernel_library(stem)
    for group, extensions in [("", [".so", ".json"]), (".cubins", [".cubin"])]:
        native.filegroup(
            name = name + group,
            srcs = [name + "." + arch + extension for arch in archs for extension in extensions],
            visibility = visibility,
        )

def kernel_libraries(name, visibility = None):
    """Groups what the kernels above it in a BUILD file make, by architecture.

    `:<name>` has the libraries and reports of all of them, `:<name>.<arch>` those for one architecture, which
    may be none; so do `:<name>.sm90`, for Hopper, and `:<name>.sm100`, for Blackwell.

    Args:
      name: of the groups.
      visibility: of the groups.
    """
    libraries = {arch: [] for arch in ARCHS}
    for stem, rule in native.existing_rules().items():
        if rule["kind"] == "_cute_object":
            libraries[rule["arch"]] += [stem + ".so", stem + ".json"]
    for arch, files in libraries.items():
        native.filegroup(
            name = "%s.%s" % (name, arch),
            srcs = files,
            visibility = visibility,
        )
    for group, archs in [("", ARCHS)] + [("." + family, archs) for family, archs in FAMILIES.items()]:
        native.filegroup(
            name = name + group,
            srcs = ["%s.%s" % (name, arch) for arch in archs],
            visibility = visibility,
        )
