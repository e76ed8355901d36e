# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel, for pip (PEP 517). meson compiles, in the folder that `make` uses as well.

It needs what `make` needs (tools/setup.sh build), and no package from a network. Settings of pip:
    --config-settings=build-dir=DIR     another build folder
"""

import base64
import hashlib
import os
import pathlib
import subprocess
import sys
import sysconfig
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
NAME, TAG_PYTHON, TAG_ABI = 'neuron_explorer', 'cp311', 'abi3'


def _version():
    scope = {}
    exec((HERE / NAME / '_version.py').read_text(), scope)
    return scope['__version__']


def _run(*words):
    done = subprocess.run([str(word) for word in words])
    if done.returncode:
        raise SystemExit(f'neuron_explorer: "{" ".join(map(str, words))}" failed; run '
                         'tools/setup.sh build, which installs what the build needs')


def _build(settings):
    """The extension and the libraries it needs, compiled."""
    build = pathlib.Path((settings or {}).get('build-dir', ROOT / 'build')).resolve()
    if not (build / 'build.ninja').exists():
        if not (ROOT / 'meson.build').exists():
            raise SystemExit('neuron_explorer: build it inside a checkout of the project')
        _run('meson', 'setup', build, ROOT, '-Dtests=false', '-Dpython=enabled')
    targets = ['python/_native.abi3.so', 'runtime/profiler/libnxprofiler.so.1',
               'runtime/service/libnxservice.so.1']
    _run('ninja', '-C', build, *targets)
    return [build / target for target in targets]


def _tag():
    platform = sysconfig.get_platform().replace('-', '_').replace('.', '_')
    return f'{TAG_PYTHON}-{TAG_ABI}-{platform}'


def _metadata():
    return {
        'METADATA': f'Metadata-Version: 2.1\nName: neuron-explorer\nVersion: {_version()}\n'
                    'Summary: Profile Python programs on AWS Trainium and Inferentia\n'
                    'License: Apache-2.0\nRequires-Python: >=3.11\n',
        'WHEEL': f'Wheel-Version: 1.0\nGenerator: neuron_explorer\nRoot-Is-Purelib: false\n'
                 f'Tag: {_tag()}\n',
    }


class _Wheel:
    """A wheel that is written: files, and the record of their sums."""

    def __init__(self, path):
        self.zip = zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED)
        self.lines = []

    def add(self, name, data):
        sum256 = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()
        self.lines.append(f'{name},sha256={sum256},{len(data)}')
        self._write(name, data)

    def _write(self, name, data):
        info = zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0))  # the same wheel from the same files
        info.external_attr = (0o755 if name.endswith(('.so', '.so.1')) else 0o644) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(info, data)

    def close(self, folder):
        record = f'{folder}/RECORD'
        self._write(record, ('\n'.join([*self.lines, f'{record},,']) + '\n').encode())
        self.zip.close()


def _set_origin(path, data):
    """The extension with the run path $ORIGIN, so that it finds the library beside itself."""
    # meson's run path is longer and ends with the build folder; overwrite it in place.
    mark = b'$ORIGIN/../runtime/profiler'
    at = data.find(mark)
    if at < 0:
        raise SystemExit(f'neuron_explorer: {path} has no run path to change')
    end = data.index(b'\0', at)
    return data[:at] + b'$ORIGIN'.ljust(end - at, b'\0') + data[end:]


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    native, *libraries = _build(config_settings)
    name = f'{NAME}-{_version()}-{_tag()}.whl'
    folder = f'{NAME}-{_version()}.dist-info'
    partial = os.path.join(wheel_directory, name + '.part')
    wheel = _Wheel(partial)
    for path in sorted((HERE / NAME).rglob('*')):
        if path.is_file() and path.suffix in ('.py', '.pyi', '.typed') or path.name == 'py.typed':
            wheel.add(str(path.relative_to(HERE)), path.read_bytes())
    wheel.add(f'{NAME}/{native.name}', _set_origin(native, native.read_bytes()))
    for library in libraries:
        wheel.add(f'{NAME}/{library.name}', library.read_bytes())
    wheel.add('neuron_explorer_aliases.pth', (HERE / 'neuron_explorer_aliases.pth').read_bytes())
    for file, text in _metadata().items():
        wheel.add(f'{folder}/{file}', text.encode())
    wheel.close(folder)
    os.replace(partial, os.path.join(wheel_directory, name))
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit('neuron_explorer: a source package of Python alone cannot be built; use a '
                     'checkout of the project')


if __name__ == '__main__':
    print(build_wheel(sys.argv[1] if len(sys.argv) > 1 else '.'))
