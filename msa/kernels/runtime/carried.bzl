"""What a target carries of the compiled kernels, for tests of the build setting."""

_SETTING = "//msa/kernels:archs"

_archs_transition = transition(
    implementation = lambda settings, attr: {_SETTING: attr.archs},
    inputs = [],
    outputs = [_SETTING],
)

def _carried_libraries_impl(ctx):
    # A transition makes a list of one.
    info = ctx.attr.target[0][DefaultInfo]
    files = depset(transitive = [info.files, info.default_runfiles.files])
    arguments = ctx.actions.args()
    arguments.set_param_file_format("multiline")
    arguments.add_all(files, map_each = _library_path)
    output = ctx.actions.declare_file(ctx.label.name + ".txt")
    ctx.actions.write(output, arguments)
    return [DefaultInfo(files = depset([output]), runfiles = ctx.runfiles([output]))]

def _library_path(file):
    return file.short_path if file.short_path.endswith(".so") and "/kernels/" in file.short_path else None

carried_libraries = rule(
    implementation = _carried_libraries_impl,
    doc = "`<name>.txt`: the kernels' libraries that `target` carries, by their paths. None of them is built.",
    attrs = {
        "archs": attr.string_list(
            doc = "The value of //msa/kernels:archs.",
            mandatory = True,
        ),
        "target": attr.label(
            cfg = _archs_transition,
            mandatory = True,
        ),
    },
)
