#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The package as pip installs it, the aliases, and what is published about it."""

import ast
import pathlib
import subprocess
import sys
import zipfile

from python_case import BUILD, LIBNRT, PACKAGE, PROGRAM, SOURCE, make_neff, run, run_script
from read_spans import Spans
from tap_cases import Skip, run_cases

MAJOR_MINOR = f'python{sys.version_info.major}.{sys.version_info.minor}'


def make_wheel(folder):
    """As pip does: the backend's hook, in a process of its own."""
    done = subprocess.run(
        [sys.executable, '-B', '-c', 'import sys, build_wheel; print(build_wheel.build_wheel('
         f'sys.argv[1], {{"build-dir": sys.argv[2]}}))', str(folder), str(BUILD)],
        cwd=SOURCE / 'python', stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stdout
    return folder / done.stdout.splitlines()[-1]


class Site:
    """A folder of the user's packages with the wheel in it."""

    def __init__(self, folder):
        self.packages = folder / f'base/lib/{MAJOR_MINOR}/site-packages'
        self.packages.mkdir(parents=True)
        with zipfile.ZipFile(make_wheel(folder)) as wheel:
            wheel.extractall(self.packages)
        self.env = {'PYTHONUSERBASE': folder / 'base', 'PYTHONPATH': ''}


def a_wheel_works_where_it_is_installed(folder):
    site = Site(folder)
    make_neff(folder, 'relu')
    run_script(folder, """
import neuron_explorer, pathlib
from neuron_explorer import profiler, runtime
assert 'site-packages' in neuron_explorer.__file__, neuron_explorer.__file__
maps = pathlib.Path('/proc/self/maps').read_text()
assert 'site-packages/neuron_explorer/libnxprofiler.so.1' in maps, 'another library was loaded'
with profiler.trace('output'):
    with profiler.TraceAnnotation('label'): runtime.load('relu.neff')()
""", **site.env)
    Spans(folder / 'output').one('label')
    record = next(site.packages.glob('*.dist-info/RECORD')).read_text().splitlines()
    listed = {line.rsplit(',', 2)[0] for line in record}
    there = {str(path.relative_to(site.packages)) for path in site.packages.rglob('*')
             if path.is_file() and '__pycache__' not in path.parts}
    assert listed == there, listed ^ there


def the_same_files_give_the_same_wheel(folder):
    (folder / 'a').mkdir()
    (folder / 'b').mkdir()
    assert make_wheel(folder / 'a').read_bytes() == make_wheel(folder / 'b').read_bytes()


def the_variable_installs_aliases_when_python_starts(folder):
    site = Site(folder)
    text = """
import torch_neuronx, jax
from torch_neuronx.experimental import profiler
from torch_neuronx.profiling import NeuronConfig
import jax.profiler
with torch_neuronx.experimental.profiler.profile(profile_type='system', output_dir='output'):
    with jax.profiler.TraceAnnotation('torch'): pass
with jax.profiler.trace('output'):
    with jax.profiler.StepTraceAnnotation('step', step_num=4): pass
try: jax.numpy
except AttributeError as why: assert 'JAX is not installed' in str(why)
else: raise SystemExit('jax.numpy is there')
"""
    run_script(folder, text, NEURON_EXPLORER_ALIASES='1', **site.env)
    spans = Spans(folder / 'output')
    spans.one('torch')
    assert spans.one('step').step == 4
    for value in ('0', ''):
        ended = run_script(folder, text, code=1, NEURON_EXPLORER_ALIASES=value, **site.env)
        assert "No module named 'torch_neuronx'" in ended.err, str(ended)


def real_packages_are_never_replaced(folder):
    for path, text in {'jax/__init__.py': 'import jax.profiler\nreal = True\n',
                       'jax/profiler.py': 'real = True\n',
                       'torch_neuronx/__init__.py': 'real = True\n'}.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text)
    run_script(folder, """
import sys
from neuron_explorer import aliases
aliases.install(); aliases.install()
assert sum(isinstance(f, aliases.AliasFinder) for f in sys.meta_path) == 1
import jax, torch_neuronx
assert jax.real and jax.profiler.real and torch_neuronx.real
from torch_neuronx.experimental import profiler      # the real one has none: the alias stands in
assert profiler.profile
""")


def a_changed_import_line_is_enough(folder):
    run_script(folder, """
from neuron_explorer.compat import torch_neuronx, jax_profiler
from neuron_explorer.compat.torch_neuronx.experimental import profiler
from neuron_explorer.compat.torch_neuronx.profiling import NeuronConfig, NeuronProfiler, ProfileMode
with torch_neuronx.experimental.profiler.profile(output_dir='output') as prof:
    with jax_profiler.TraceAnnotation('a'): pass
@jax_profiler.annotate_function
def f(): pass
jax_profiler.start_trace('output'); f(); jax_profiler.stop_trace()
assert issubclass(profiler.profile, type(prof)) and NeuronConfig().modes
""")
    spans = Spans(folder)
    spans.one('a')
    spans.one('f')


def the_types_of_the_extension_are_complete(folder):
    sys.path.insert(0, str(PACKAGE))
    from neuron_explorer import _native
    tree = ast.parse((PACKAGE / 'neuron_explorer/_native.pyi').read_text())
    described = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    described |= {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)}
    there = {name for name in dir(_native) if not name.startswith('__')}
    assert described == there, described ^ there


def everything_public_is_documented_and_typed(folder):
    sys.path.insert(0, str(PACKAGE))
    import inspect
    from neuron_explorer import profiler, profiles, runtime
    for module in (profiler, profiles, runtime):
        assert module.__doc__
        for name, value in vars(module).items():
            if name.startswith('_') or getattr(value, '__module__', '') != module.__name__:
                continue
            if inspect.isclass(value) or inspect.isfunction(value):
                assert value.__doc__, f'{module.__name__}.{name} has no description'
            if inspect.isfunction(value):
                assert 'return' in value.__annotations__, f'{name} has no type'
    assert (PACKAGE / 'neuron_explorer/py.typed').exists()


def the_version_is_that_of_the_project(folder):
    version = (SOURCE / 'meson.build').read_text().split("version: '")[1].split("'")[0]
    assert f"__version__ = '{version}'" in (SOURCE / 'python/neuron_explorer/_version.py').read_text()
    assert f'version = "{version}"' in (SOURCE / 'python/pyproject.toml').read_text()


def other_interpreters_load_the_same_extension(folder):
    found = []
    for minor in range(11, 16):
        for path in (f'/usr/bin/python3.{minor}', f'/usr/local/bin/python3.{minor}'):
            if pathlib.Path(path).exists() and f'3.{minor}' not in [name for name, _ in found]:
                found.append((f'3.{minor}', path))
    if not found:
        raise Skip('no other interpreter is in /usr')
    script = folder / 'other.py'
    script.write_text('from neuron_explorer import profiler\n'
                      'def work(): return sorted(range(100000))\n'
                      'with profiler.trace("output"): work()\n')
    for _, path in found:
        ended = run([path, script], folder)
        assert ended.code == 0, str(ended)
    return ', '.join(name for name, _ in found)


if __name__ == '__main__':
    assert PROGRAM.exists() and LIBNRT.exists()
    sys.exit(run_cases([
        a_wheel_works_where_it_is_installed,
        the_same_files_give_the_same_wheel,
        the_variable_installs_aliases_when_python_starts,
        real_packages_are_never_replaced,
        a_changed_import_line_is_enough,
        the_types_of_the_extension_are_complete,
        everything_public_is_documented_and_typed,
        the_version_is_that_of_the_project,
        other_interpreters_load_the_same_extension,
    ]))
