# SPDX-License-Identifier: Apache-2.0
"""Profile a block of code, with the names that PyTorch's and JAX's profilers use.

    with trace('output'):                       # as jax.profiler.trace
        ...

    with profile(profile_type='system', output_dir='output') as prof:
        ...                                     # as torch_neuronx.experimental.profiler.profile

A session records Python calls, annotations, operators of PyTorch, the calls of libnrt.so.1 and the work
of the NeuronCores. Its folder opens with `neuron-explorer view -d output`. One session can run at a
time; each has a folder of its own below the output folder, so a run may have many.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import functools
import os
import warnings
from typing import Any, Callable, Iterable, Iterator, Optional, Sequence, TypeVar, Union

from . import _native, _session
from ._calls import CallCounts, PythonCalls
from ._continuous import (ContinuousCounts, continuous_counts, is_continuous, snapshot,
                          start_continuous, stop_continuous)
from ._session import SessionResult

__all__ = [
    'CallCounts', 'ContinuousCounts', 'NeuronConfig', 'NeuronProfiler', 'ProfileMode',
    'ProfileOptions', 'ProfilerAction', 'ProfilerActivity', 'ProfilerServer', 'PythonCalls', 'SessionResult',
    'StepTraceAnnotation', 'TraceAnnotation', 'annotate_function', 'continuous_counts', 'counter',
    'instant', 'is_continuous', 'profile', 'record_function', 'schedule', 'snapshot',
    'start_continuous', 'start_server', 'start_trace', 'stop_continuous', 'stop_server',
    'stop_trace', 'trace',
]

PathLike = Union[str, 'os.PathLike[str]']
AnyFunction = TypeVar('AnyFunction', bound=Callable[..., Any])

PROFILE_TYPES = ('system', 'operator', 'trace')
TARGETS = ('neuron_profile', 'neuron_profile_perfetto', 'neuron_tensorboard')
DEFAULT_FOLDER = './output'


# --- annotations -----------------------------------------------------------------------------------


class TraceAnnotation(_native.TraceAnnotation):
    """A named span: `with TraceAnnotation('load', batch=3): ...`

    Names may be made at run time. Keywords become attributes of the span.
    """

    __slots__ = ()


class StepTraceAnnotation(_native.StepTraceAnnotation):
    """A step of training or inference: `with StepTraceAnnotation('train', step_num=3): ...`"""

    __slots__ = ()


record_function = TraceAnnotation


def annotate_function(func: Optional[AnyFunction] = None, name: Optional[str] = None,
                      **attributes: Any) -> Any:
    """Makes each call of a function a span, by default with the function's name.

    Use it with or without arguments: `@annotate_function`, `@annotate_function(name='load')`.
    """
    if func is None:
        return functools.partial(annotate_function, name=name, **attributes)
    text = name or getattr(func, '__qualname__', None) or repr(func)

    @functools.wraps(func)
    def annotated(*args: Any, **kwargs: Any) -> Any:
        with TraceAnnotation(text, **attributes):
            return func(*args, **kwargs)
    return annotated


def instant(name: str, **attributes: Any) -> None:
    """Marks this moment."""
    _native.instant(name, attributes)


def counter(name: str, value: float) -> None:
    """Records the value that something has from now on; each name is a track."""
    _native.counter(name, float(value))


# --- jax.profiler ----------------------------------------------------------------------------------


@dataclasses.dataclass
class ProfileOptions:
    """As jax.profiler.ProfileOptions: level 0 leaves a part out.

    python_tracer_level: Python calls. host_tracer_level: annotations are always recorded; 0 leaves
    out operators. device_tracer_level: runtime calls and the work of the cores.
    """

    python_tracer_level: int = 1
    host_tracer_level: int = 2
    device_tracer_level: int = 1
    python: PythonCalls = PythonCalls()
    buffer_bytes: int = 0


def _wants_device() -> bool:
    return os.environ.get('NEURON_RT_INSPECT_DEVICE_PROFILE', '1') != '0'


def _settings(log_dir: PathLike, options: Optional[Any]) -> _session.Settings:
    options = options if options is not None else ProfileOptions()
    if not os.fspath(log_dir):
        raise ValueError('the name of the output folder is empty; give one, or "." for this folder')
    device = getattr(options, 'device_tracer_level', 1) > 0
    python = getattr(options, 'python', PythonCalls())
    return _session.Settings(
        output_dir=os.fspath(log_dir),
        python=python if getattr(options, 'python_tracer_level', 1) > 0 else None,
        operators=getattr(options, 'host_tracer_level', 2) > 0,
        with_runtime=device, with_device=device and _wants_device(),
        buffer_bytes=getattr(options, 'buffer_bytes', 0))


def _write_perfetto(session: _session.Session, create_link: bool) -> None:
    from . import _program
    assert session.result is not None
    path = os.path.join(session.result.directory, 'perfetto')
    try:
        _program.run('view', '-d', session.settings.output_dir, '--output-format', 'perfetto',
                     '--output-file', path)
    except (OSError, _program.ProgramError) as why:
        warnings.warn(f'no Perfetto trace was written: {why}', RuntimeWarning, stacklevel=3)
        return
    if create_link:
        print(f'Open {path} in Perfetto (https://ui.perfetto.dev); no link is made, because nothing '
              'is uploaded.')


_trace_wishes: dict[int, tuple[bool, bool]] = {}


def start_trace(log_dir: PathLike, create_perfetto_link: bool = False,
                create_perfetto_trace: bool = False,
                profiler_options: Optional[Any] = None) -> None:
    """Starts a session into log_dir. RuntimeError if one is running already."""
    session = _session.start(_settings(log_dir, profiler_options), 'start_trace')
    _trace_wishes.clear()
    _trace_wishes[id(session)] = (create_perfetto_link, create_perfetto_trace)


def _end_trace(session: _session.Session) -> None:
    link, perfetto = _trace_wishes.pop(id(session), (False, False))
    if link or perfetto:
        _write_perfetto(session, link)


def stop_trace() -> None:
    """Stops the session that start_trace started. RuntimeError if none is running.

    Inside a `with trace(...)` or `with profile(...)` block it ends the profile there, with a warning.
    """
    running = _session.current()
    if running is not None and running.owner != 'start_trace':
        warnings.warn(
            f'stop_trace() inside a `with {running.owner}` block ends the profile here: what follows '
            'in the block is not recorded. Use stop_trace() only after start_trace()',
            RuntimeWarning, stacklevel=2)
    _end_trace(_session.stop(None, 'stop_trace'))


def _mark_exception(why: BaseException) -> None:
    """So that a profile shows what ended its block."""
    if _native.is_on():
        _native.instant('exception', {'type': type(why).__name__, 'message': str(why)[:500]})


@contextlib.contextmanager
def trace(log_dir: PathLike, create_perfetto_link: bool = False,
          create_perfetto_trace: bool = False,
          profiler_options: Optional[Any] = None) -> Iterator[None]:
    """Records the block into log_dir. An exception in the block is marked, and the profile kept."""
    session = _session.start(_settings(log_dir, profiler_options), 'trace')
    _trace_wishes.clear()
    _trace_wishes[id(session)] = (create_perfetto_link, create_perfetto_trace)
    try:
        yield
    except BaseException as why:
        if session.is_running:
            _mark_exception(why)
        raise
    finally:
        if session.pid == os.getpid():  # the child of a fork has no session
            was_running = session.result is None
            _session.stop(session, 'trace')
            if was_running:
                _end_trace(session)


class ProfilerServer:
    """A server that start_server() started; `with start_server(0) as server: ...` stops it."""

    def __init__(self, port: int) -> None:
        self.port = port

    def __repr__(self) -> str:
        return f'ProfilerServer(port={self.port})'

    def __enter__(self) -> 'ProfilerServer':
        return self

    def __exit__(self, *unused: Any) -> None:
        if _native.server_port() == self.port:
            stop_server()


def start_server(port: int, requires_backend: bool = True, *, host: Optional[str] = None,
                 token: Optional[str] = None, output_dir: PathLike = DEFAULT_FOLDER) -> ProfilerServer:
    """Starts a server for captures on demand, as jax.profiler.start_server.

    Port 0 picks one, which the result has as `port`. host is an address in digits, by default
    NEURON_PROFILER_HOST or 127.0.0.1; one that other machines can reach needs a token, which clients
    send as metadata `authorization: Bearer <token>`. Sessions that stay on this machine
    (tensorflow.ProfileAnalysis) go to output_dir. requires_backend has no effect: the server finds
    the runtime when a session starts. RuntimeError if a server is running already.
    """
    if not 0 <= port <= 65535:
        raise ValueError(f'start_server({port}): a port is a number from 0 to 65535')
    return ProfilerServer(_native.start_server(port, host, token, os.fspath(output_dir)))


def stop_server() -> None:
    """As jax.profiler.stop_server. RuntimeError if no server is running."""
    _native.stop_server()


# --- torch.profiler with NeuronConfig ----------------------------------------------------------------


class ProfilerActivity(enum.Enum):
    """What `profile(activities=...)` records, as torch.profiler.ProfilerActivity."""

    CPU = 0
    XPU = 1
    CUDA = 2
    PrivateUse1 = 3


class ProfilerAction(enum.Enum):
    """What a schedule says of a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def schedule(*, wait: int, warmup: int, active: int, repeat: int = 0,
             skip_first: int = 0) -> Callable[[int], ProfilerAction]:
    """A function from the number of a step to what is done in it, as torch.profiler.schedule.

    After skip_first steps, cycles of wait, warmup and active steps; repeat 0 means without end.
    """
    if min(wait, warmup, repeat, skip_first) < 0 or active < 1:
        raise ValueError('schedule: wait, warmup, repeat and skip_first must be at least 0, '
                         'active at least 1')
    length = wait + warmup + active

    def action(step: int) -> ProfilerAction:
        if step < 0:
            raise ValueError(f'schedule: the number of a step must be at least 0, not {step}')
        step -= skip_first
        if step < 0 or (repeat and step >= repeat * length):
            return ProfilerAction.NONE
        step %= length
        if step < wait:
            return ProfilerAction.NONE
        if step < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if step < length - 1 else ProfilerAction.RECORD_AND_SAVE
    return action


class ProfileMode(enum.Enum):
    """What NeuronConfig collects: files with instructions (DEVICE), runtime calls (RUNTIME), the load
    of the processors and the memory of the host."""

    DEVICE = 'device'
    RUNTIME = 'runtime'
    CPU_UTIL = 'cpu_util'
    HOST_MEMORY = 'host_memory'


def _core_numbers(text: Optional[str]) -> list[int]:
    """0,1,2-5 as numbers."""
    numbers: list[int] = []
    for part in (text or '').split(','):
        first, dash, last = part.strip().partition('-')
        if not part.strip():
            continue
        if not first.isdigit() or (dash and not last.isdigit()) or (dash and int(last) < int(first)):
            raise ValueError(f'capture_enabled_for_nc: "{part}" is not a core or a range such as 2-5')
        numbers += range(int(first), int(last if dash else first) + 1)
    return numbers


@dataclasses.dataclass
class NeuronConfig:
    """What to collect from Neuron devices, for profile(experimental_config=...).

    Any mode but DEVICE records runtime calls, the load of the processors and the memory of the host
    together. capture_enabled_for_nc chooses the cores whose runtime events are recorded; device
    profiles have all cores. neff_cache_dir and precache_node_info have no effect: NEFFs are in the profile anyway.
    """

    modes: Sequence[ProfileMode] = (ProfileMode.DEVICE, ProfileMode.RUNTIME)
    profile_output_dir: str = DEFAULT_FOLDER
    max_events_per_nc: Optional[int] = None
    capture_enabled_for_nc: Optional[str] = None
    neff_cache_dir: Optional[str] = None
    precache_node_info: bool = True

    def __post_init__(self) -> None:
        for mode in self.modes:
            if not isinstance(mode, ProfileMode):
                raise ValueError(f'NeuronConfig: {mode!r} is not a ProfileMode')
        self.cores = _core_numbers(self.capture_enabled_for_nc)


class NeuronProfiler:
    """Writes what a profiler recorded beside the profile of the runtime; see export_trace."""

    def __init__(self, config: Optional[NeuronConfig] = None) -> None:
        self.config = config or NeuronConfig()

    def export_trace(self, prof: Any) -> str:
        """For on_trace_ready. Returns the path that was written.

        The data of this package's profile are already in its folder. A torch.profiler.profile is
        exported to neuron_framework_trace_rank_<rank>.json in the output folder.
        """
        if isinstance(prof, profile):
            if prof.result is None:
                raise RuntimeError('export_trace: the profile has not been stopped')
            return prof.result.directory
        folder = self.config.profile_output_dir
        os.makedirs(folder, exist_ok=True)
        rank = os.environ.get('RANK', '0')
        path = os.path.join(folder, f'neuron_framework_trace_rank_{rank}.json')
        partial = f'{path}.part'
        prof.export_chrome_trace(partial)
        os.replace(partial, path)
        return path


# --- profile -----------------------------------------------------------------------------------------


def _choose(name: str, value: str, choices: Iterable[str]) -> str:
    if value not in choices:
        raise ValueError(f'profile: {name} must be one of {", ".join(choices)}, not {value!r}')
    return value


@dataclasses.dataclass(frozen=True)
class _Parts:
    """What a profile_type, or activities and modes, record."""

    python: bool
    operators: bool
    runtime: bool
    device: bool


_PARTS = {
    'system': _Parts(python=True, operators=True, runtime=True, device=True),
    'operator': _Parts(python=False, operators=True, runtime=True, device=True),
    'trace': _Parts(python=True, operators=True, runtime=True, device=False),
}


class profile:
    """Records a block of code: `with profile(output_dir='output') as prof: ...`

    It has the parameters of torch_neuronx.experimental.profiler.profile:

    port: accepted for compatibility; start_server() starts the service for captures on demand.
    profile_type: 'system' records everything; 'operator' leaves out Python calls; 'trace' leaves out
        the instructions of the cores.
    target: 'neuron_profile', 'neuron_profile_perfetto' (also writes a Perfetto trace when the block
        ends) or 'neuron_tensorboard' (the same as neuron_profile: the plugin is discontinued).
    output_dir: by default NEURON_RT_INSPECT_OUTPUT_DIR, else ./output.
    ms_duration: the session ends after this time, even if the block has not.
    auto_start: if False, the block begins without a session; call start().
    delete_working: if False, the temporary files of the Perfetto trace are kept.
    traced_only: record only runtime calls and the work of the cores, not the program.

    those of torch.profiler.profile (activities, schedule, on_trace_ready, record_shapes,
    profile_memory, with_stack, with_flops, with_modules, experimental_config=NeuronConfig(...)), and

    python: which Python calls are recorded (PythonCalls), or False for none.
    buffer_bytes: memory for events that are not yet on disk; 0 is the default of 32 MiB.
    """

    def __init__(self, *, port: int = 9012, ms_duration: Optional[float] = None,
                 neuron_tensorboard_plugin_dir: Optional[PathLike] = None,
                 profile_type: str = 'system', target: str = 'neuron_profile',
                 output_dir: Optional[PathLike] = None, auto_start: bool = True,
                 delete_working: bool = True, traced_only: bool = False,
                 activities: Optional[Iterable[Any]] = None,
                 schedule: Optional[Callable[[int], Any]] = None,
                 on_trace_ready: Optional[Callable[['profile'], Any]] = None,
                 record_shapes: bool = True, profile_memory: bool = False,
                 with_stack: bool = False, with_flops: bool = False, with_modules: bool = True,
                 experimental_config: Optional[NeuronConfig] = None,
                 python: Union[PythonCalls, bool] = True, buffer_bytes: int = 0) -> None:
        self.port = port
        self.profile_type = _choose('profile_type', profile_type, PROFILE_TYPES)
        self.target = _choose('target', target, TARGETS)
        if ms_duration is not None and ms_duration <= 0:
            raise ValueError(f'profile: ms_duration must be more than 0, not {ms_duration}')
        if neuron_tensorboard_plugin_dir is not None:
            warnings.warn('neuron_tensorboard_plugin_dir has no effect: the plugin is discontinued; '
                          'open output_dir with neuron-explorer', UserWarning, stacklevel=2)
        if profile_memory or with_flops:
            warnings.warn('profile_memory and with_flops have no effect: memory and operations are '
                          'in the profiles of the runtime and of the cores', UserWarning, stacklevel=2)
        self.auto_start = auto_start
        self.delete_working = delete_working
        self.schedule = schedule
        self.on_trace_ready = on_trace_ready
        self.step_num = 0
        self.result: Optional[SessionResult] = None
        self._config = experimental_config
        self._session: Optional[_session.Session] = None
        self._step: Optional[StepTraceAnnotation] = None
        self._debug: dict[str, Optional[str]] = {}
        self._settings = self._make_settings(
            output_dir, ms_duration, traced_only, activities, python, record_shapes, with_stack,
            with_modules, buffer_bytes)

    def _make_settings(self, output_dir: Optional[PathLike], ms_duration: Optional[float],
                       traced_only: bool, activities: Optional[Iterable[Any]],
                       python: Union[PythonCalls, bool], record_shapes: bool, with_stack: bool,
                       with_modules: bool, buffer_bytes: int) -> _session.Settings:
        parts = _PARTS[self.profile_type]
        config = self._config
        if output_dir is None and config is not None:
            output_dir = config.profile_output_dir
        if output_dir is None:
            output_dir = os.environ.get('NEURON_RT_INSPECT_OUTPUT_DIR', DEFAULT_FOLDER)
        names = {getattr(activity, 'name', str(activity)) for activity in activities or ()}
        if activities is not None and 'CPU' not in names:
            parts = dataclasses.replace(parts, python=False, operators=False)
        if activities is not None and 'PrivateUse1' not in names:
            parts = dataclasses.replace(parts, runtime=False, device=False)
        elif config is not None:
            parts = dataclasses.replace(parts, runtime=len(config.modes) > 0,
                                        device=ProfileMode.DEVICE in config.modes)
        if traced_only:
            parts = dataclasses.replace(parts, python=False, operators=False)
        calls = python if isinstance(python, PythonCalls) else PythonCalls() if python else None
        return _session.Settings(
            output_dir=os.fspath(output_dir), python=calls if parts.python else None,
            operators=parts.operators, record_shapes=record_shapes, with_stack=with_stack,
            with_modules=with_modules, with_runtime=parts.runtime or parts.device,
            with_device=parts.device and _wants_device(), buffer_bytes=buffer_bytes,
            max_events_per_core=(config.max_events_per_nc or 0) if config is not None else 0,
            cores=','.join(map(str, getattr(config, 'cores', None) or [])) or None,
            duration_ms=ms_duration)

    # --- life ---

    def start(self) -> None:
        """Starts the session, or the schedule. RuntimeError if a session is running."""
        if self.schedule is None:
            self._begin()
        else:
            self._follow(None, self._action())
        self._begin_step()

    def stop(self) -> None:
        """Stops the session and completes its files."""
        self._end_step()
        if self._session is not None:
            self._end()
            self._trace_ready()

    def step(self) -> None:
        """Ends a step; with a schedule, starts and stops sessions as it says."""
        self._end_step()
        before = self._action()
        self.step_num += 1
        self._follow(before, self._action())
        self._begin_step()

    def __enter__(self) -> 'profile':
        self._set_debug()
        if self.auto_start:
            self.start()
        return self

    def __exit__(self, kind: Any, why: Optional[BaseException], trace: Any) -> None:
        session = self._session
        try:
            if session is not None and session.pid != os.getpid():
                self._session = None  # the child of a fork has no session
                return
            if why is not None and session is not None and session.is_running:
                _mark_exception(why)
            self.stop()
        finally:
            self._restore_debug()

    # --- after the end ---

    @property
    def directory(self) -> str:
        """The folder of the last session of this process."""
        if self.result is None:
            raise RuntimeError('profile: no session has been completed')
        return self.result.directory

    def open(self) -> Any:
        """The profile, for tables and SQL (neuron_explorer.Profile)."""
        from .profiles import open_profile
        if self.result is None:
            raise RuntimeError('profile: no session has been completed')
        return open_profile(self.result.output_dir)

    def export_chrome_trace(self, path: PathLike) -> None:
        """Writes the events of the program as a Chrome trace, as torch.profiler's method does."""
        self.open().export_chrome_trace(path)

    def _repr_html_(self) -> str:
        return self.open()._repr_html_() if self.result else '<p>profile: no session yet</p>'

    # --- parts ---

    def _action(self) -> ProfilerAction:
        if self.schedule is None:
            return ProfilerAction.RECORD
        action = self.schedule(self.step_num)
        # torch.profiler.schedule returns torch's own names of the same actions.
        return action if isinstance(action, ProfilerAction) else ProfilerAction[action.name]

    def _follow(self, before: Optional[ProfilerAction], now: ProfilerAction) -> None:
        recording = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
        if before is ProfilerAction.RECORD_AND_SAVE or (before in recording and now not in recording):
            self._end()
            self._trace_ready()
        if now in recording and self._session is None:
            self._begin()

    def _begin(self) -> None:
        self._session = _session.start(self._settings, 'profile')

    def _end(self) -> None:
        session, self._session = self._session, None
        if session is None:
            return
        _session.stop(session, 'profile')
        if session._operators is not None:
            session._operators.close()
        self.result = session.result
        if self.target == 'neuron_profile_perfetto':
            _write_perfetto(session, False)

    def _trace_ready(self) -> None:
        if self.on_trace_ready is not None and self.result is not None:
            self.on_trace_ready(self)

    def _begin_step(self) -> None:
        if self._session is not None and self.schedule is not None:
            self._step = StepTraceAnnotation('ProfilerStep', step_num=self.step_num)
            self._step.__enter__()

    def _end_step(self) -> None:
        step, self._step = self._step, None
        if step is not None:
            step.__exit__(None, None, None)

    def _set_debug(self) -> None:
        """Names of layers and places in the source, from compilers that look at these."""
        for name in ('XLA_IR_DEBUG', 'XLA_HLO_DEBUG'):
            self._debug[name] = os.environ.get(name)
            os.environ.setdefault(name, '1')

    def _restore_debug(self) -> None:
        for name, value in self._debug.items():
            if value is None:
                os.environ.pop(name, None)
        self._debug.clear()
