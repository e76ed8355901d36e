#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `make install` puts into a system works there, and `make uninstall` removes it.

usage: install.py BUILD

Installs into a folder (DESTDIR), so nothing outside of it is touched. Prints TAP.
"""

import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True  # the tree stays as it is
SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / 'tests'))
from tap_cases import Skip, run_cases  # noqa: E402

BUILD = pathlib.Path(sys.argv[1]).resolve()
PATIENCE_S = 100


def run(*words, **env):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=PATIENCE_S,
                          env={**os.environ, **{name: str(value) for name, value in env.items()}})
    if done.returncode:
        raise AssertionError(f'{words}: exit code {done.returncode}\n{done.stdout}')
    return done.stdout


class Site:
    """A system with an installed program; prefix is where its bin, lib and share are."""

    def __init__(self, folder):
        self.work = folder
        self.root = folder / 'root'
        run('meson', 'install', '-C', BUILD, '--no-rebuild', '--destdir', self.root)
        self.prefix = next(self.root.rglob('bin/neuron-explorer')).parents[1]
        self.documents = self.prefix / 'share/doc/neuron-explorer'

    def files(self):
        return {str(path.relative_to(self.root)) for path in self.root.rglob('*')
                if path.is_symlink() or not path.is_dir()}


def everything_is_there(site):
    for path in ('bin/neuron-profile', 'bin/nccom-test', 'bin/neuron-ls',
                 'lib/neuron-explorer/libnrt.so.1',
                 'include/neuron-explorer/nrt/nrt.h', 'include/nx/profiler.h',
                 'include/nx/profiler.hpp', 'share/man/man1/neuron-explorer.1',
                 'share/zsh/site-functions/_neuron-explorer'):
        assert (site.prefix / path).exists(), path
    for path in ('LICENSE', 'README.md', 'examples/relu.c', 'examples/relu.nasm'):
        assert (site.documents / path).read_bytes() == (SOURCE / path).read_bytes(), path
    assert not (site.documents / 'docs/man').exists(), 'man pages are installed twice'


def help_names_installed_documents(site):
    """Each docs/... that a command's help or man page names is below share/doc."""
    program = site.prefix / 'bin/neuron-explorer'
    named = set()
    for page in run(program, '--print-man').split():
        named |= set(re.findall(r'docs/[\w/]+\.md', run(program, '--print-man', page)))
    assert len(named) >= 2, named
    for path in named:
        assert (site.documents / path).is_file(), path


def the_python_package_works(site):
    found = list(site.root.rglob('neuron_explorer/_native.abi3.so'))
    if not found:
        raise Skip('the package was not built (python3-dev is missing)')
    package = found[0].parent
    assert (package.parent / 'neuron_explorer_aliases.pth').is_file() and (package / 'py.typed').is_file()
    sources = SOURCE / 'python/neuron_explorer'
    missing = [path for path in sources.rglob('*.py*') if '__pycache__' not in path.parts and
               not (package / path.relative_to(sources)).is_file()]
    assert not missing, missing
    library = next(site.root.rglob('libnxprofiler.so.1')).parent
    run('python3', '-c', 'from neuron_explorer import profiler, runtime\n'
        'import sys\nwith profiler.trace(sys.argv[1]): assert runtime.core_count()',
        site.work / 'output', PYTHONPATH=package.parent, LD_LIBRARY_PATH=library,
        PYTHONDONTWRITEBYTECODE=1)


def pkg_config_is_enough_to_compile(site):
    found = next(site.root.rglob('libnrt.pc')).parent
    flags = run('pkg-config', '--cflags', '--libs', 'libnrt', PKG_CONFIG_PATH=found,
                PKG_CONFIG_SYSROOT_DIR=site.root).split()
    example, neff = site.work / 'relu', site.work / 'relu.neff'
    run('cc', '-Werror', site.documents / 'examples/relu.c', *flags, '-o', example)
    run(site.prefix / 'bin/neuron-explorer', 'neff', '--assemble',
        site.documents / 'examples/relu.nasm', '-o', neff)
    run(example, neff, LD_LIBRARY_PATH=site.prefix / 'lib/neuron-explorer')


def the_profiler_library_is_found_by_pkg_config(site):
    found = next(site.root.rglob('nxprofiler.pc')).parent
    source = site.work / 'program.c'
    source.write_text('#include <nx/profiler.h>\n'
                      'int main(void) { return nx_profiler_stop() != NX_PROFILER_IDLE; }\n')
    flags = run('pkg-config', '--cflags', '--libs', 'nxprofiler', PKG_CONFIG_PATH=found,
                PKG_CONFIG_SYSROOT_DIR=site.root).split()
    library = next(site.root.rglob('libnxprofiler.so.1')).parent
    run('cc', '-Werror', source, *flags, '-o', site.work / 'shared')
    run(site.work / 'shared', LD_LIBRARY_PATH=library)
    run('cc', '-Werror', source, flags[0], library / 'libnxprofiler.a', '-lpthread', '-ldl', '-o',
        site.work / 'static')
    run(site.work / 'static')


def uninstall_leaves_what_is_not_ours(site):
    foreign = {'other/file', str((site.prefix / 'bin/other').relative_to(site.root)),
               str((site.prefix / 'lib/neuron-explorer/other').relative_to(site.root))}
    assert len(site.files()) > 40, site.files()
    for path in foreign:
        (site.root / path).parent.mkdir(exist_ok=True)
        (site.root / path).write_text('')
    run(SOURCE / 'tools/uninstall.sh', BUILD, site.root, '--no-rebuild')
    assert site.files() == foreign, site.files()
    (site.prefix / 'lib/neuron-explorer/other').unlink()
    run(SOURCE / 'tools/uninstall.sh', BUILD, site.root, '--no-rebuild')
    left = [str(path) for path in site.root.rglob('*neuron-explorer*')]
    assert not left, left


sys.exit(run_cases((everything_is_there, help_names_installed_documents,
                    pkg_config_is_enough_to_compile, the_profiler_library_is_found_by_pkg_config,
                    the_python_package_works,
                    uninstall_leaves_what_is_not_ours), Site))
