#!/usr/bin/env bash
# install.sh PREFIX: installs Bazel 7 where only Debian's package mirrors can be reached.
#
# Debian testing packages Bazel and its rules; this unpacks them, with the libraries and the Java they
# need, below PREFIX and upgrades nothing on the host. PREFIX/bazel then runs that Bazel with
# PREFIX/offline.bazelrc, which points the modules that Bazel would download at Debian's copies. All that
# is special about such a machine lives in PREFIX; the workspace itself stays conventional.
set -euo pipefail

readonly SUITE=forky # the Debian release that carries bazel-bootstrap 7
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

say() { echo "install.sh: $*" >&2; }
die() {
  say "$*"
  say "Install Bazel 7 or 8 (or bazelisk) by hand and put it on PATH, or name it in \$BAZEL."
  exit 1
}

[[ $# -eq 1 ]] || die "expected one argument, the folder to install into; got $#"
PREFIX=$(realpath -m "$1")
ROOT=$PREFIX/root           # the unpacked packages
SHARE=$ROOT/usr/share/bazel # Bazel's install base, modules and rules
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ---- What the host must bring: apt for the packages, a C compiler for Bazel's C++ toolchain, patchelf
# to point the unpacked programs at the unpacked libraries.
require_host() {
  command -v apt-get >/dev/null || die "this installer needs apt-get (Debian); it was not found"
  local missing=()
  command -v patchelf >/dev/null || missing+=(patchelf)
  command -v gcc >/dev/null || missing+=(gcc libc6-dev)
  [[ -s /etc/ssl/certs/ca-certificates.crt ]] || missing+=(ca-certificates)
  [[ ${#missing[@]} -gt 0 ]] || return 0
  [[ $(id -u) -eq 0 ]] || die "missing on this machine: ${missing[*]} (as root: apt-get install ${missing[*]})"
  say "installing ${missing[*]} with apt"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
    die "apt-get could not install ${missing[*]}"
}

# ---- The packages: resolved against an empty system, less those that a host with a compiler has or that
# only matter for building Debian packages.
download_packages() {
  local site keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  # shellcheck disable=SC2016 # apt expands $(SITE)
  site=$(apt-get indextargets --no-release-info --format '$(SITE)' "Created-By: Packages" "Component: main" | head -n 1)
  [[ -n $site && -e $keyring ]] || die "apt on this machine has no Debian mirror"
  mkdir -p "$work"/{lists/partial,cache/archives/partial,debs}
  : >"$work/status"
  echo "deb [signed-by=$keyring] $site $SUITE main" >"$work/sources.list"
  local apt=(apt-get -qq
    -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o "Dir::State::lists=$work/lists" -o "Dir::State::status=$work/status" -o "Dir::Cache=$work/cache"
    -o Acquire::Languages=none -o APT::Sandbox::User=root
    # Container images turn these off; each command would parse all of Debian anew.
    -o Dir::Cache::pkgcache=pkgcache.bin -o Dir::Cache::srcpkgcache=srcpkgcache.bin)
  local host='gcc|g\+\+|cpp|libgcc-[0-9]|libstdc\+\+-[0-9]|binutils|libbinutils|libgprofng|libctf|lib[a-z]*san[0-9]'
  host+='|perl|libperl[0-9]|dpkg|libdpkg|debconf|python3|libpython|build-ess|make$|patch$'
  host+='|linux-libc|libc6-dev|libc-dev|zlib1g-dev|libcrypt-dev|openjdk-[0-9]+-jdk|default-jdk'
  say "downloading Bazel from Debian $SUITE (about 170 MB)"
  "${apt[@]}" update || die "Debian $SUITE cannot be read from this machine's mirror"
  "${apt[@]}" --print-uris install --no-install-recommends bazel-bootstrap libblake3-0 |
    awk '{print $2}' | sed 's/_.*//' | grep -vE "^($host)" >"$work/names"
  # What fetches and unpacks the Python packages, on any Python (see rules_python.py).
  printf '%s\n' python3-pip-whl python3-installer >>"$work/names"
  (cd "$work/debs" && xargs "${apt[@]}" download <"$work/names") || die "Debian $SUITE has no bazel-bootstrap for this machine"
}

# ---- Unpacked programs use the unpacked loader and libraries, not the host's older ones.
unpack() {
  rm -rf "$PREFIX"
  mkdir -p "$ROOT/etc/ssl/certs/java"
  printf '%s\0' "$work"/debs/*.deb | xargs -0 -P "$(nproc)" -I{} dpkg -x {} "$ROOT"
  java=$(dirname "$(dirname "$(find "$ROOT/usr/lib/jvm" -path '*/bin/java' -type f)")")
  local loader libraries program
  loader=$(find "$ROOT"/usr/lib* -name 'ld-linux-*.so.*' | head -n 1)
  libraries=$(dirname "$(find "$ROOT/usr/lib" -name 'libstdc++.so.6' | head -n 1)")
  for program in "$ROOT/usr/bin/bazel" "$ROOT"/usr/libexec/*/bazel/* "$java/bin/java" "$java/lib/jspawnhelper"; do
    patchelf --set-interpreter "$loader" --force-rpath --set-rpath "$libraries:$java/lib" "$program"
  done
  # The packages' absolute links and paths, moved below ROOT.
  find "$ROOT/usr/lib/jvm" -type l -lname '/etc/*' | while read -r link; do
    ln -sfn "$ROOT$(readlink "$link")" "$link"
  done
  local classpath=$SHARE/bazel_classpath_debian_depends.txt
  sed -i "s#^/usr/share/java#$ROOT/usr/share/java#" "$classpath"
  printf '%s\n' "$ROOT"/usr/share/java/perfmark-{api,impl}.jar >>"$classpath"
  python3 "$HERE/truststore.py" /etc/ssl/certs/ca-certificates.crt "$ROOT/etc/ssl/certs/java/cacerts"
  local python_tools=$PREFIX/python_tools
  python3 -m zipfile -e "$ROOT"/usr/share/python-wheels/pip-*.whl "$python_tools"
  cp -r "$ROOT/usr/lib/python3/dist-packages/installer" "$python_tools"
  # Half of the time that pip takes to fetch a small package; by the Python that Bazel's rules will find.
  PATH=/usr/bin:/bin python3 -m compileall -q -j0 "$python_tools"
  python3 "$HERE/rules_python.py" "$SHARE/rules/python" "$python_tools"
}

# ---- Modules that Bazel's built-in modules name but that no build here uses: present, without content.
write_stubs() {
  local module stubs=$PREFIX/stubs
  for module in protobuf zlib apple_support buildozer remote_coverage_tools; do
    mkdir -p "$stubs/$module"
    echo "module(name = \"$module\")" >"$stubs/$module/MODULE.bazel"
    echo "workspace(name = \"$module\")" >"$stubs/$module/WORKSPACE"
    : >"$stubs/$module/BUILD.bazel"
  done
  echo 'cc_library(name = "zlib", visibility = ["//visibility:public"])' >"$stubs/zlib/BUILD.bazel"
  cat >"$stubs/buildozer/buildozer_binary.bzl" <<'EOF'
_empty = repository_rule(implementation = lambda rctx: rctx.file("BUILD.bazel", ""))
buildozer_binary = module_extension(implementation = lambda mctx: _empty(name = "buildozer_binary"))
EOF
  cat >"$stubs/remote_coverage_tools/BUILD.bazel" <<'EOF'
[sh_binary(name = name, srcs = ["absent.sh"], visibility = ["//visibility:public"])
 for name in ["coverage_report_generator", "lcov_merger"]]
EOF
  printf '#!/bin/sh\necho "coverage tools are not installed" >&2\nexit 1\n' >"$stubs/remote_coverage_tools/absent.sh"
  chmod +x "$stubs/remote_coverage_tools/absent.sh"
}

write_bazelrc() {
  local module
  for module in rules/{cc,java,license,proto,python}; do
    echo "common --override_module=rules_${module#*/}=$SHARE/$module --override_repository=rules_${module#*/}=$SHARE/$module"
  done
  for module in skylib:bazel_skylib features:bazel_features platforms:platforms; do
    echo "common --override_module=${module#*:}=$SHARE/tools/${module%:*} --override_repository=${module#*:}=$SHARE/tools/${module%:*}"
  done
  for module in protobuf zlib apple_support buildozer; do
    echo "common --override_module=$module=$PREFIX/stubs/$module"
  done
  # Under WORKSPACE, and under bzlmod, where an extension of Bazel's own module names it.
  for module in remote_coverage_tools bazel_tools~remote_coverage_tools_extension~remote_coverage_tools; do
    echo "common --override_repository=$module=$PREFIX/stubs/remote_coverage_tools"
  done
  # Sandboxes see an empty /tmp: keep PREFIX visible where it lies there.
  echo "build --sandbox_add_mount_pair=$PREFIX"
  # A lock file would record this machine's overrides.
  echo "common --lockfile_mode=off"
  # pip reads the machine's own configuration (its index, its certificates), and Python is the system's.
  echo "common --repo_env=RULES_PYTHON_PIP_ISOLATED=0 --repo_env=PATH=/usr/bin:/bin"
}

write_launcher() {
  cat >"$PREFIX/bazel" <<EOF
#!/bin/sh
exec "$ROOT/usr/bin/bazel" --nosystem_rc --trust_install_base --server_javabase="$java" \\
  --install_base="$SHARE" --bazelrc="$PREFIX/offline.bazelrc" "\$@"
EOF
  chmod +x "$PREFIX/bazel"
}

require_host
download_packages
unpack
write_stubs
write_bazelrc >"$PREFIX/offline.bazelrc"
write_launcher
say "installed $(cd / && "$PREFIX/bazel" --version) into $PREFIX"
