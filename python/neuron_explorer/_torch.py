# SPDX-License-Identifier: Apache-2.0
"""Records operators, modules, backward passes and record_function of PyTorch (1.13 and later).

Operators come from a dispatch mode, which sees what is executed below autograd, forward and backward.
PyTorch keeps dispatch modes per thread and gives the caller's to the threads of autograd; threads
that Python starts during the session get one of their own. Threads that ran before have none.
"""

from __future__ import annotations

import functools
import sys
import threading
from typing import Any, Callable, Optional

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from . import _native

MAX_STACK = 24  # frames of an operator
MAX_NAMES = 65536
STEP_PREFIX = 'ProfilerStep#'


def _is_tensor_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and any(isinstance(item, torch.Tensor) for item in value)


def _shapes(arguments: Any) -> str:
    """As PyTorch's profiler shows them: a list per tensor, [] for other arguments."""
    shapes = [list(value.shape) if isinstance(value, torch.Tensor) else
              [list(item.shape) if isinstance(item, torch.Tensor) else [] for item in value]
              if _is_tensor_list(value) else [] for value in arguments]
    return str(shapes)


def _types(arguments: Any) -> str:
    return ', '.join(str(value.dtype).replace('torch.', '') if isinstance(value, torch.Tensor) else
                     type(value).__name__ for value in arguments)


def _stack() -> str:
    """Callers, the innermost first, without ours."""
    frame: Any = sys._getframe(1)
    lines: list[str] = []
    while frame is not None and len(lines) < MAX_STACK:
        module = frame.f_globals.get('__name__', '')
        if not module.startswith('neuron_explorer.') and module != 'torch.utils._python_dispatch':
            code = frame.f_code
            lines.append(f'{code.co_filename}:{frame.f_lineno} {code.co_name}')
        frame = frame.f_back
    return '; '.join(lines)


def _operator_name(func: Any) -> str:
    """aten::add for the overload aten.add.Tensor."""
    schema = getattr(func, '_schema', None)
    return schema.name if schema is not None else str(func)


class _Mode(TorchDispatchMode):
    def __init__(self, tracer: 'OperatorTracer') -> None:
        super().__init__()
        self._nx_tracer = tracer

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        tracer = self._nx_tracer
        kwargs = kwargs or {}
        if not tracer.is_on:
            return func(*args, **kwargs)
        name = tracer.define(func)
        if not name:
            return func(*args, **kwargs)
        attributes = tracer.describe(args)
        start = _native.ticks()
        try:
            return func(*args, **kwargs)
        finally:
            _native.complete(name, start, attributes)


class _Local(threading.local):
    """What this thread is doing."""

    def __init__(self) -> None:
        self.modules: list[tuple[Any, str]] = []
        self.backwards = 0
        self.is_known: Optional[bool] = None


class OperatorTracer:
    """On from start() to stop(). stop() may come from another thread; the modes then stay in place,
    without effect, until close() on the thread that entered them."""

    def __init__(self, settings: Any) -> None:
        self._settings = settings
        self._names: dict[Any, int] = {}
        self._local = _Local()
        self._mode: Optional[_Mode] = None
        self._thread = 0
        self._originals: list[tuple[Any, str, Any]] = []
        self._backward_count = 0
        self.is_on = False

    # --- what the mode asks ---

    def define(self, func: Any) -> int:
        name = self._names.get(func)
        if name is None:
            text = _operator_name(func)
            is_ours = text.startswith('profiler::')  # record_function, which has a span of its own
            name = 0 if is_ours else _native.define(_native.KIND_OPERATOR, text)
            if len(self._names) < MAX_NAMES:
                self._names[func] = name
        return name

    def describe(self, args: Any) -> dict[str, Any]:
        settings, local = self._settings, self._local
        if local.is_known is None:
            self._meet_thread()
        attributes: dict[str, Any] = {}
        if settings.record_shapes:
            attributes['input_shapes'] = _shapes(args)
            attributes['input_types'] = _types(args)
        if local.modules:
            attributes['module'] = local.modules[-1][1]
        if local.backwards or (self._backward_count and not local.is_known):
            attributes['phase'] = 'backward'
        if settings.with_stack:
            attributes['stack'] = _stack()
        return attributes

    def _meet_thread(self) -> None:
        """Names a thread. One that runs operators but is not Python's belongs to autograd."""
        thread = threading._active.get(threading.get_ident())  # type: ignore[attr-defined]
        self._local.is_known = thread is not None and not isinstance(thread, threading._DummyThread)
        _native.thread_name(thread.name if self._local.is_known else 'autograd')

    # --- life ---

    def start(self) -> None:
        self.is_on = True
        self._thread = threading.get_ident()
        self._mode = _Mode(self)
        self._mode.__enter__()
        self._patch(threading.Thread, '_bootstrap_inner', self._wrap_thread)
        self._patch(torch.autograd, 'backward', self._wrap_backward)
        self._patch(torch.autograd, 'grad', self._wrap_backward)
        record_function = torch.autograd.profiler.record_function
        self._patch(record_function, '__enter__', self._wrap_record_enter)
        self._patch(record_function, '__exit__', self._wrap_record_exit)
        if self._settings.with_modules:
            self._patch(torch.nn.Module, '__call__', self._wrap_module)

    def stop(self) -> None:
        self.is_on = False
        while self._originals:
            owner, name, original = self._originals.pop()
            setattr(owner, name, original)
        self.close()

    def close(self) -> None:
        """Leaves the mode, if this is the thread that entered it."""
        if self._mode is not None and threading.get_ident() == self._thread:
            mode, self._mode = self._mode, None
            mode.__exit__(None, None, None)

    def _patch(self, owner: Any, name: str, wrap: Callable[[Any], Any]) -> None:
        original = getattr(owner, name)
        self._originals.append((owner, name, original))
        setattr(owner, name, functools.wraps(original)(wrap(original)))

    # --- wrappers ---

    def _wrap_thread(self, original: Any) -> Any:
        def run_with_mode(thread: Any) -> Any:
            if not self.is_on:
                return original(thread)
            with _Mode(self):
                return original(thread)
        return run_with_mode

    def _wrap_backward(self, original: Any) -> Any:
        name = _native.define(_native.KIND_FRAMEWORK, f'torch.autograd.{original.__name__}')

        def backward(*args: Any, **kwargs: Any) -> Any:
            start = _native.ticks()
            self._local.backwards += 1
            self._backward_count += 1
            try:
                return original(*args, **kwargs)
            finally:
                self._backward_count -= 1
                self._local.backwards -= 1
                _native.complete(name, start)
        return backward

    def _wrap_record_enter(self, original: Any) -> Any:
        def enter(record: Any) -> Any:
            text = str(record.name)
            number = text[len(STEP_PREFIX):]
            if text.startswith(STEP_PREFIX) and number.isdigit():
                span: Any = _native.StepTraceAnnotation(STEP_PREFIX[:-1], step_num=int(number))
            else:
                arguments = getattr(record, 'args', None)
                span = (_native.TraceAnnotation(text) if arguments is None else
                        _native.TraceAnnotation(text, args=str(arguments)))
            record._nx_span = span
            span.__enter__()
            return original(record)
        return enter

    def _wrap_record_exit(self, original: Any) -> Any:
        def leave(record: Any, *exception: Any) -> Any:
            try:
                return original(record, *exception)
            finally:
                span = getattr(record, '_nx_span', None)
                if span is not None:
                    span.__exit__(*exception)
                    record._nx_span = None
        return leave

    def _path(self, module: Any) -> str:
        """MLP.fc1: the names that lead from the outermost module that is running to this one."""
        stack = self._local.modules
        if not stack:
            return type(module).__name__
        parent, path = stack[-1]
        for name, child in parent.named_modules():
            if child is module and name:
                return f'{path}.{name}'
        return f'{path}.({type(module).__name__})'

    def _wrap_module(self, original: Any) -> Any:
        def call(module: Any, *args: Any, **kwargs: Any) -> Any:
            if not self.is_on:
                return original(module, *args, **kwargs)
            path = self._path(module)
            key = type(module)
            name = self._names.get(key)
            if name is None:
                name = _native.define(_native.KIND_FRAMEWORK, f'nn.Module: {key.__name__}')
                if len(self._names) < MAX_NAMES:
                    self._names[key] = name
            self._local.modules.append((module, path))
            start = _native.ticks()
            try:
                return original(module, *args, **kwargs)
            finally:
                self._local.modules.pop()
                _native.complete(name, start, {'module': path})
        return call
