# SPDX-License-Identifier: Apache-2.0
"""Load a NEFF and run it, over any libnrt.so.1.

    import numpy
    from neuron_explorer import runtime

    with runtime.load('relu.neff') as model:
        print(model.inputs, model.outputs)
        y = model(x=numpy.zeros((128, 512), numpy.float32))['y']
        print(model.benchmark(runs=100))
        profile = model.profile()

The library is the one that is already loaded, else NEURON_EXPLORER_LIBNRT, else the loader's
libnrt.so.1, else the software device that comes with this project.
"""

from __future__ import annotations

import array
import atexit
import dataclasses
import json
import math
import os
import struct
import tempfile
import threading
import warnings
from typing import Any, Mapping, Optional, Sequence, Union

from . import _native
from .profiles import Profile, _import_numpy

NrtError = _native.NrtError
PathLike = Union[str, 'os.PathLike[str]']
VARIABLE = 'NEURON_EXPLORER_LIBNRT'

__all__ = ['Benchmark', 'Model', 'NrtError', 'TensorInfo', 'Times', 'close', 'core_count', 'load',
           'open_library']

# NRT_DTYPE_* and what it is called; numpy has no name for some, whose tensors are bytes.
_DTYPES = {
    0x1: 'uint64', 0x2: 'int8', 0x3: 'uint8', 0x4: 'int16', 0x5: 'uint16', 0x6: 'bfloat16',
    0x7: 'float16', 0x8: 'int32', 0x9: 'uint32', 0xA: 'float32', 0xB: 'fp32r', 0xC: 'int64',
    0xD: 'fp8_e3', 0xE: 'fp8_e4', 0xF: 'fp8_e5',
}
_NUMPY = {'bfloat16': 'uint16', 'fp32r': 'float32', 'fp8_e3': 'uint8', 'fp8_e4': 'uint8',
          'fp8_e5': 'uint8'}


@dataclasses.dataclass(frozen=True)
class TensorInfo:
    """An input or output of a model."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    nbytes: int

    @property
    def numpy_dtype(self) -> str:
        """What numpy calls it; bfloat16 and 8-bit floats are kept as unsigned integers."""
        return _NUMPY.get(self.dtype, self.dtype)


@dataclasses.dataclass(frozen=True)
class Times:
    """Times of runs, in nanoseconds."""

    ns: tuple[int, ...]

    @property
    def count(self) -> int:
        return len(self.ns)

    @property
    def mean(self) -> float:
        return sum(self.ns) / len(self.ns)

    @property
    def min(self) -> int:
        return min(self.ns)

    @property
    def max(self) -> int:
        return max(self.ns)

    def percentile(self, percent: float) -> int:
        """The smallest time that at least this share of the runs did not exceed."""
        if not 0 < percent <= 100:
            raise ValueError(f'percentile: {percent} is not above 0 and at most 100')
        return sorted(self.ns)[math.ceil(len(self.ns) * percent / 100) - 1]


@dataclasses.dataclass(frozen=True)
class Benchmark:
    """Times of the same execution, as the host and as the cores measured them.

    device is None if the runtime did not report when its cores ran.
    """

    host: Times
    device: Optional[Times]

    def _rows(self) -> list[tuple[str, Times]]:
        return [(name, times) for name, times in (('host', self.host), ('device', self.device))
                if times is not None]

    def __str__(self) -> str:
        lines = ['time of a run, us    mean       min       p50       p90       p99       max']
        for name, times in self._rows():
            values = [times.mean, times.min, *map(times.percentile, (50, 90, 99)), times.max]
            lines.append(f'{name:14}' + ''.join(f'{value / 1000:10.3f}' for value in values))
        return '\n'.join(lines)

    def _repr_html_(self) -> str:
        head = ''.join(f'<th>{name}</th>' for name in
                       ('', 'runs', 'mean us', 'p50 us', 'p90 us', 'p99 us', 'max us'))
        body = ''.join(
            f'<tr><th>{name}</th><td>{times.count}</td>' + ''.join(
                f'<td>{value / 1000:.3f}</td>' for value in
                (times.mean, *map(times.percentile, (50, 90, 99)), times.max)) + '</tr>'
            for name, times in self._rows())
        return f'<table><tr>{head}</tr>{body}</table>'


# --- the library -------------------------------------------------------------------------------------

_lock = threading.RLock()
_library: Optional[str] = None
_is_initialised = False
_models: set['Model'] = set()


def _candidates() -> list[str]:
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return [chosen]
    paths = ['libnrt.so.1']
    here = os.path.dirname(os.path.abspath(__file__))
    while os.path.dirname(here) != here:
        paths += [os.path.join(here, 'lib', 'neuron-explorer', 'libnrt.so.1'),
                  os.path.join(here, 'lib', 'libnrt.so.1')]
        here = os.path.dirname(here)
    return [path for path in paths if '/' not in path or os.path.exists(path)]


def _join_session() -> None:
    """A library that is loaded during a session takes part in it."""
    reason = _native.join_runtime() if _native.is_on() else ''
    if reason:
        warnings.warn(f'{reason}; the profile has no runtime calls', RuntimeWarning, stacklevel=4)


def open_library(path: Optional[PathLike] = None) -> str:
    """Opens libnrt.so.1, once per process, and returns its path. OSError if it cannot be opened."""
    global _library
    with _lock:
        if _library is not None:
            if path is not None and os.fspath(path) != _library:
                raise OSError(f'{os.fspath(path)}: this process already uses {_library}')
            return _library
        reasons = []
        for candidate in [os.fspath(path)] if path is not None else _candidates():
            try:
                _native.nrt_open(candidate)
                _library = candidate
                _join_session()
                return candidate
            except OSError as why:
                reasons.append(f'{candidate}: {why}')
        raise OSError(f'no Neuron runtime: {"; ".join(reasons)}. Install one, or set {VARIABLE} to '
                      'its path')


def _initialise() -> None:
    global _is_initialised
    with _lock:
        open_library()
        if _is_initialised:
            return
        try:
            _native.nrt_init()
        except NrtError as why:
            # A framework in this process was first; its runtime is the same.
            if why.args[1] != 2:
                raise
        else:
            atexit.register(close)
        _is_initialised = True


def core_count() -> int:
    """How many NeuronCores this process may use."""
    _initialise()
    return _native.nrt_core_count()


def close() -> None:
    """Unloads all models and closes the runtime."""
    global _is_initialised
    with _lock:
        if not _is_initialised:
            return
        for model in list(_models):
            model.close()
        _is_initialised = False
        _native.nrt_close()


def _after_fork() -> None:
    """The runtime is not for the child of a fork: it begins its own when it needs one."""
    global _lock, _is_initialised
    _lock = threading.RLock()
    for model in list(_models):
        model._forget()
    _models.clear()
    _is_initialised = False


os.register_at_fork(after_in_child=_after_fork)


# --- models ------------------------------------------------------------------------------------------


def _as_bytes(info: TensorInfo, value: Any) -> Any:
    """A contiguous buffer of exactly the tensor's bytes."""
    numpy = _import_numpy()
    if numpy is not None and not isinstance(value, (bytes, bytearray, memoryview, array.array)):
        value = numpy.asarray(value)
        if value.dtype != numpy.dtype(info.numpy_dtype):
            if info.dtype == 'bfloat16' and value.dtype.kind == 'f':
                value = _to_bfloat16(numpy, value)
            elif value.dtype.kind in 'fiub' and info.dtype not in _NUMPY:
                value = value.astype(info.numpy_dtype)
            else:
                raise TypeError(f'{info.name}: an array of {value.dtype} cannot become {info.dtype}')
        if value.size * value.dtype.itemsize == info.nbytes and value.shape != info.shape:
            raise ValueError(f'{info.name}: the shape is {value.shape}, not {info.shape}')
        value = numpy.ascontiguousarray(value)
    elif isinstance(value, (list, tuple)):
        value = _pack(info, value)
    view = memoryview(value).cast('B')
    if view.nbytes != info.nbytes:
        raise ValueError(f'{info.name}: {view.nbytes} bytes given, {info.nbytes} needed '
                         f'({info.dtype} {list(info.shape)})')
    return view


def _to_bfloat16(numpy: Any, value: Any) -> Any:
    """Rounds to the nearest, ties to even; infinities and NaN stay what they are."""
    bits = numpy.ascontiguousarray(value, dtype=numpy.float32).view(numpy.uint32)
    rounded = ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16).astype(numpy.uint16)
    is_nan = (bits & 0x7fffffff) > 0x7f800000
    return numpy.where(is_nan, numpy.uint16(0x7fc0), rounded).astype(numpy.uint16)


def from_bfloat16(values: Any) -> Any:
    """float32 of bfloat16 values that are kept as uint16. Needs numpy."""
    numpy = _import_numpy()
    if numpy is None:
        raise ImportError('from_bfloat16 needs numpy')
    return (numpy.asarray(values, dtype=numpy.uint16).astype(numpy.uint32) << 16).view(numpy.float32)


_CODES = {'uint64': 'Q', 'int8': 'b', 'uint8': 'B', 'int16': 'h', 'uint16': 'H', 'int32': 'i',
          'uint32': 'I', 'float32': 'f', 'int64': 'q'}


def _flatten(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [item for inner in value for item in _flatten(inner)]
    return [value]


def _pack(info: TensorInfo, value: Sequence[Any]) -> bytes:
    """Without numpy: nested lists of numbers."""
    numbers = _flatten(value)
    if info.dtype == 'bfloat16':
        words = struct.unpack(f'<{len(numbers)}I', struct.pack(f'<{len(numbers)}f', *numbers))
        return struct.pack(f'<{len(numbers)}H', *((word + 0x7fff + (word >> 16 & 1)) >> 16 & 0xffff
                                                 for word in words))
    code = _CODES.get(info.numpy_dtype)
    if code is None:
        raise TypeError(f'{info.name}: give numpy arrays or bytes for tensors of {info.dtype}')
    return array.array(code, numbers).tobytes()


def _nest(values: Sequence[Any], shape: Sequence[int]) -> Any:
    """A flat list as nested ones."""
    if len(shape) <= 1:
        return list(values)
    size = len(values) // shape[0] if shape[0] else 0
    return [_nest(values[i * size:(i + 1) * size], shape[1:]) for i in range(shape[0])]


def _from_bytes(info: TensorInfo, data: bytearray) -> Any:
    """A numpy array, or nested lists without numpy (bytes if the type has no name there)."""
    numpy = _import_numpy()
    if numpy is not None:
        return numpy.frombuffer(data, dtype=info.numpy_dtype).reshape(info.shape)
    code = _CODES.get(info.numpy_dtype)
    return _nest(memoryview(data).cast(code).tolist(), info.shape) if code else bytes(data)


class Model:
    """A loaded NEFF. Call it with its inputs by name; it returns its outputs by name.

    Inputs that are not given keep their value, which is 0 at first. Close it, or use it in a
    `with` block, to free its memory on the device.
    """

    def __init__(self, neff: PathLike, core: int = -1, rank: int = 0, world: int = 0) -> None:
        _initialise()
        _import_numpy()  # not in the first run, which may be recorded
        self.path = os.fspath(neff)
        self.core = core
        self._tensors: dict[str, int] = {}
        self._sets: list[int] = []
        self._lock = threading.Lock()
        self._handle = 0
        with open(self.path, 'rb') as file:
            data = file.read()
        self._handle = _native.nrt_load(data, core, rank, world)
        try:
            self._make_tensors()
        except BaseException:
            self.close()
            raise
        _models.add(self)

    def _make_tensors(self) -> None:
        inputs, outputs = [], []
        for name, is_input, nbytes, dtype, shape in _native.nrt_tensors(self._handle):
            info = TensorInfo(name, _DTYPES.get(dtype, f'dtype_{dtype}'), shape, nbytes)
            (inputs if is_input else outputs).append(info)
        self.inputs: tuple[TensorInfo, ...] = tuple(inputs)
        self.outputs: tuple[TensorInfo, ...] = tuple(outputs)
        core = max(self.core, 0)
        for infos in (inputs, outputs):
            members = []
            for info in infos:
                handle = _native.nrt_tensor_new(info.name, info.nbytes, core)
                self._tensors[info.name] = handle
                members.append((info.name, handle))
                if infos is inputs:
                    _native.nrt_tensor_write(handle, bytes(info.nbytes))
            self._sets.append(_native.nrt_set_new(members))

    def _check(self) -> None:
        if not self._handle:
            raise ValueError(f'{self.path}: the model was closed')

    def write(self, **inputs: Any) -> None:
        """Writes inputs without running the model."""
        self._check()
        known = {info.name: info for info in self.inputs}
        for name, value in inputs.items():
            if name not in known:
                raise ValueError(f'{self.path}: no input is called {name!r}; the inputs are '
                                 f'{", ".join(known) or "none"}')
            _native.nrt_tensor_write(self._tensors[name], _as_bytes(known[name], value))

    def read(self, name: Optional[str] = None) -> Any:
        """An output, or all by name."""
        self._check()
        if name is None:
            return {info.name: self.read(info.name) for info in self.outputs}
        for info in self.outputs:
            if info.name == name:
                data = bytearray(info.nbytes)
                _native.nrt_tensor_read(self._tensors[name], data)
                return _from_bytes(info, data)
        raise ValueError(f'{self.path}: no output is called {name!r}')

    def __call__(self, **inputs: Any) -> dict[str, Any]:
        with self._lock:
            self.write(**inputs)
            self._run(1)
            return self.read()

    def _run(self, runs: int) -> Times:
        self._check()
        times = array.array('Q', _native.nrt_execute(self._handle, *self._sets, runs))
        return Times(tuple(times))

    def benchmark(self, runs: int = 100, warmup: int = 3, **inputs: Any) -> Benchmark:
        """Runs the model again and again, after a few runs that do not count."""
        if runs < 1 or warmup < 0:
            raise ValueError('benchmark: runs must be at least 1, warmup at least 0')
        with self._lock:
            self.write(**inputs)
            if warmup:
                self._run(warmup)
            try:
                _native.nrt_trace_start(64 * runs + 1024)
            except (NrtError, NotImplementedError) as why:
                warnings.warn(f'the times of the device are not measured: {why}', RuntimeWarning,
                              stacklevel=2)
                return Benchmark(self._run(runs), None)
            try:
                host = self._run(runs)
                events = _native.nrt_trace_fetch()
            finally:
                _native.nrt_trace_stop()
        return Benchmark(host, _device_times(events))

    def profile(self, output: Optional[PathLike] = None, **inputs: Any) -> Profile:
        """Runs the model once and returns the profile of its cores.

        The NTFF is written to output; by default to a temporary folder that goes with the profile.
        """
        work = None
        if output is None:
            work = tempfile.TemporaryDirectory(prefix='neuron-explorer-')
            output = os.path.join(work.name, 'profile.ntff')
        with self._lock:
            self.write(**inputs)
            _native.nrt_profile_start(self._handle, output)
            try:
                self._run(1)
            finally:
                _native.nrt_profile_stop(self._handle, output)
        profile = Profile(neff=self.path, ntff=output)
        profile._kept = work  # type: ignore[attr-defined]
        return profile

    def close(self) -> None:
        """Frees the model and its tensors. Closing it again does nothing."""
        handle, self._handle = self._handle, 0
        _models.discard(self)
        for number in self._sets:
            _native.nrt_set_free(number)
        for number in self._tensors.values():
            _native.nrt_tensor_free(number)
        self._sets, self._tensors = [], {}
        if handle:
            _native.nrt_unload(handle)

    def _forget(self) -> None:
        """In the child of a fork, where the handles are not valid."""
        self._handle, self._sets, self._tensors = 0, [], {}

    def __enter__(self) -> 'Model':
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        state = '' if self._handle else ', closed'
        return f'<Model {self.path}{state}>'


def _device_times(text: str) -> Optional[Times]:
    """From the start to the stop of each run on a core, by the core's clock if it is there."""
    starts: dict[tuple[Any, Any], int] = {}
    runs: dict[Any, list[int]] = {}
    for event in json.loads(text).get('events', []):
        if event.get('event_type') != 'nc_exec_running':
            continue
        data: Mapping[str, Any] = event.get('attributes') or event.get('data') or event
        moment = int(data.get('nc_timestamp_ns') or event.get('timestamp') or
                     event.get('timestamp_ns') or 0)
        key = event.get('tracking_id', event.get('id'))
        core = event.get('nc_idx', data.get('nc_idx'))
        if event.get('phase') == 'start':
            starts[core, key] = moment
        elif (core, key) in starts:
            runs.setdefault(core, []).append(moment - starts.pop((core, key)))
    if not runs:
        return None
    # A model on several cores takes as long as its slowest.
    longest = [max(times) for times in zip(*runs.values())]
    return Times(tuple(longest))


def load(neff: PathLike, core: int = -1, rank: int = 0, world: int = 0) -> Model:
    """Loads a NEFF onto a core; -1 chooses one. With collectives: its rank among world ranks."""
    return Model(neff, core, rank, world)
