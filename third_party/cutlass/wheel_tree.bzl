"""Unpacks wheels into one folder, for a package that is split over several of them."""

def _wheel_tree_impl(ctx):
    tree = ctx.actions.declare_directory(ctx.label.name)
    arguments = ctx.actions.args()
    arguments.add_all([tree], expand_directories = False)
    arguments.add_all(ctx.files.wheels)
    ctx.actions.run(
        executable = ctx.executable._unpack,
        arguments = [arguments],
        inputs = ctx.files.wheels,
        outputs = [tree],
        mnemonic = "UnpackWheels",
        progress_message = "Unpacking wheels into %{output}",
    )
    return [DefaultInfo(
        files = depset([tree]),
        runfiles = ctx.runfiles([tree]),
    )]

wheel_tree = rule(
    implementation = _wheel_tree_impl,
    doc = "A folder with the contents of all `wheels`, as pip would merge them.",
    attrs = {
        "wheels": attr.label_list(
            allow_files = [".whl"],
            mandatory = True,
        ),
        "_unpack": attr.label(
            default = "//third_party/cutlass:unpack",
            cfg = "exec",
            executable = True,
        ),
    },
)
