"""What targets reach, as they are configured.

A genquery would follow every branch of every `select`, and fetch the packages of each Python version to do so.
"""

_ReachedInfo = provider(
    doc = "What a target reaches.",
    fields = {"labels": "depset of labels, its own among them."},
)

def _reached_aspect_impl(target, ctx):
    reached = []
    for name in dir(ctx.rule.attr):
        value = getattr(ctx.rule.attr, name)
        for dep in value if type(value) == "list" else [value]:
            if type(dep) == "Target" and _ReachedInfo in dep:
                reached.append(dep[_ReachedInfo].labels)
    return [_ReachedInfo(labels = depset([target.label], transitive = reached))]

_reached_aspect = aspect(
    implementation = _reached_aspect_impl,
    attr_aspects = ["*"],
    doc = "Follows every attribute.",
)

def _closure_impl(ctx):
    output = ctx.actions.declare_file(ctx.label.name)
    lines = ctx.actions.args()
    lines.set_param_file_format("multiline")
    lines.add_all(depset(transitive = [target[_ReachedInfo].labels for target in ctx.attr.targets]))
    ctx.actions.write(output, lines)
    return [DefaultInfo(files = depset([output]), runfiles = ctx.runfiles([output]))]

closure = rule(
    implementation = _closure_impl,
    doc = "A file with the labels of the rules that `targets` reach, a line each.",
    attrs = {
        "targets": attr.label_list(
            aspects = [_reached_aspect],
            mandatory = True,
        ),
    },
)
