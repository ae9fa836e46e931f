"""The architectures that kernels are compiled for, and the build setting that chooses among them."""

# A kernel runs on the chip that it is compiled for: Hopper, and the two Blackwell data-centre chips.
FAMILIES = {
    "sm90": ["sm_90a"],
    "sm100": [
        "sm_100a",
        "sm_103a",
    ],
}

HOPPER = FAMILIES["sm90"]

BLACKWELL = FAMILIES["sm100"]

ARCHS = [arch for archs in FAMILIES.values() for arch in archs]

_ArchsInfo = provider(
    doc = "What the build setting says.",
    fields = {"archs": "list of architectures."},
)

def _setting_impl(ctx):
    value = ctx.build_setting_value
    if value == ["auto"]:
        return _ArchsInfo(archs = ctx.attr.auto)
    if value == ["none"]:
        return _ArchsInfo(archs = [])
    if not value or [arch for arch in value if arch not in ARCHS]:
        fail("%s: expected auto, none or a list of %s, got %s" % (
            ctx.label,
            ", ".join(ARCHS),
            ",".join(value) or "nothing",
        ))
    return _ArchsInfo(archs = value)

_setting = rule(
    implementation = _setting_impl,
    attrs = {
        "auto": attr.string_list(),
    },
    build_setting = config.string_list(flag = True),
)

def _has_impl(ctx):
    archs = ctx.attr.setting[_ArchsInfo].archs
    return config_common.FeatureFlagInfo(value = str(ctx.attr.arch in archs))

_has = rule(
    implementation = _has_impl,
    attrs = {
        "arch": attr.string(mandatory = True),
        "setting": attr.label(
            mandatory = True,
            providers = [_ArchsInfo],
        ),
    },
)

def archs_setting(name, auto, visibility = None):
    """A build setting: `auto`, the default; `none`; or a list of architectures.

    For each architecture it makes the condition `:<name>.<arch>`, which holds where the setting has it. What
    `select` leaves out by it is neither analyzed nor fetched.

    Args:
      name: of the setting.
      auto: the architectures that `auto` stands for.
      visibility: of the setting.
    """
    _setting(
        name = name,
        auto = auto,
        build_setting_default = ["auto"],
        visibility = visibility,
    )
    for arch in ARCHS:
        condition = "%s.%s" % (name, arch)
        _has(
            name = condition + ".value",
            arch = arch,
            setting = name,
        )
        native.config_setting(
            name = condition,
            flag_values = {condition + ".value": "True"},
        )
