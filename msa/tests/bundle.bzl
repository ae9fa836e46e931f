"""One archive of Python targets and a wheel, to run where there is no Bazel."""

# What a bundle leaves out: other repositories, and what stands in for them in this one.
_THIRD_PARTY = ("../", "_solib_", "third_party/")

# Where an installed package's modules lie in its repository.
_SITE = "/site-packages/"

# Modules at the top of one that nobody imports.
_STRAY = ("__init__.py", "example.py")

_BundleInfo = provider(
    doc = "What a bundle takes of a Python target.",
    fields = {
        "files": "depset of the files that it runs with, other repositories' among them.",
        "tests": "path and tags of each test's module, a list of dicts.",
    },
)

def _bundle_aspect_impl(target, ctx):
    rule = ctx.rule
    if rule.kind == "pytest_group":
        infos = [test[_BundleInfo] for test in rule.attr.tests]
        return [_BundleInfo(
            files = depset(transitive = [info.files for info in infos]),
            tests = [test for info in infos for test in info.tests],
        )]
    deps = [dep[DefaultInfo] for dep in rule.attr.deps + rule.attr.data]
    tests = []
    if rule.kind == "py_test":
        modules = [file.short_path for file in rule.files.srcs if file != rule.file.main]
        if len(modules) != 1:
            fail("%s: a test must have one module, got %s" % (target.label, modules))

        # rules_python puts a mark of its own among the tags.
        tags = [tag for tag in rule.attr.tags if not tag.startswith("__")]
        tests = [{"module": modules[0], "tags": tags}]
    return [_BundleInfo(
        # Not the target's own runfiles: these hold its launcher, and an interpreter.
        files = depset(
            rule.files.srcs + rule.files.data,
            transitive = [dep.default_runfiles.files for dep in deps],
        ),
        tests = tests,
    )]

_bundle_aspect = aspect(
    implementation = _bundle_aspect_impl,
    attr_aspects = ["tests"],
    doc = "Finds the files and the test modules of a `py_test`, a `py_binary` or a `pytest_group`.",
)

def _python_bundle_impl(ctx):
    infos = [target[_BundleInfo] for target in ctx.attr.targets]
    tests = {test["module"]: test["tags"] for info in infos for test in info.tests}
    manifest = ctx.actions.declare_file(ctx.label.name + ".tests.json")
    ctx.actions.write(manifest, json.encode_indent(tests) + "\n")
    archive = ctx.actions.declare_file(ctx.label.name + ".tar.gz")
    files = {
        file.short_path: file
        for file in depset(transitive = [info.files for info in infos]).to_list()
        if not file.short_path.startswith(_THIRD_PARTY)
    } | {
        "tests.json": manifest,
        ctx.file.main.basename: ctx.file.main,
    }
    for package in ctx.attr.packages:
        for file in package[DefaultInfo].default_runfiles.files.to_list():
            _, found, name = file.short_path.partition(_SITE)
            if found and file.extension == "py" and name not in _STRAY:
                files[name] = file
    arguments = ctx.actions.args()
    arguments.set_param_file_format("multiline")
    arguments.use_param_file("@%s")
    arguments.add(archive)
    arguments.add(ctx.file.wheel)
    for name, file in files.items():
        arguments.add(file, format = name + "=%s")
    ctx.actions.run(
        executable = ctx.executable._pack,
        arguments = [arguments],
        inputs = files.values() + [ctx.file.wheel],
        outputs = [archive],
        mnemonic = "PackBundle",
        progress_message = "Packing %{output}",
    )
    return [DefaultInfo(files = depset([archive]))]

python_bundle = rule(
    implementation = _python_bundle_impl,
    doc = """`<name>.tar.gz`: an unpacked wheel, and what else the targets run with, this repository's part of it.

Files lie in it by their path in the workspace; at its top are `main`, `tests.json`, which gives each test module
its tags, and the modules of `packages`.
""",
    attrs = {
        "main": attr.label(
            doc = "The program at the top.",
            allow_single_file = [".py"],
            mandatory = True,
        ),
        "packages": attr.label_list(
            doc = "Installed packages to carry, pure Python ones.",
        ),
        "targets": attr.label_list(
            doc = "Tests and binaries.",
            aspects = [_bundle_aspect],
            mandatory = True,
        ),
        "wheel": attr.label(
            doc = "The wheel; a file of its that the targets have, too, must be the same.",
            allow_single_file = [".whl"],
            mandatory = True,
        ),
        "_pack": attr.label(
            default = "//msa/tests:pack_tool",
            cfg = "exec",
            executable = True,
        ),
    },
)
