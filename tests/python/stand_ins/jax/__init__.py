# SPDX-License-Identifier: Apache-2.0
"""As much of JAX as the guides' scripts use, with one device: the software NeuronCore.

Products run on it, as examples/matmul.nasm computes them. There is no profiler here: that of
neuron_explorer takes its place, as it would where JAX lacks one.
"""

import functools
import os

import numpy as _numpy

from neuron_explorer import runtime

_model = None


class Array:
    """Numbers, whose products are computed on the device."""

    def __init__(self, values):
        self.values = _numpy.asarray(values, _numpy.float32)

    def __matmul__(self, other):
        global _model
        if _model is None:
            _model = runtime.load(os.environ['STAND_IN_NEFFS'] + '/matmul.neff')
        (rows, depth), columns = self.values.shape, other.values.shape[1]
        at = _numpy.zeros((256, 256), _numpy.float32)
        b = _numpy.zeros((256, 512), _numpy.float32)
        at[:depth, :rows] = self.values.T
        b[:depth, :columns] = other.values
        return Array(_model(at=at, b=b)['c'][:rows, :columns])


class _Config:
    def update(self, name, value):
        pass


class _DefaultDevice:
    def __init__(self, device):
        self.device = device

    def __enter__(self):
        return self.device

    def __exit__(self, *exception):
        pass


config = _Config()
default_device = _DefaultDevice


def devices(platform=None):
    runtime.core_count()  # starts the runtime
    return ['neuron:0' if platform is None else f'{platform}:0']


def device_put(values, sharding=None):
    return values


def device_get(values):
    return values.values


def jit(function):
    @functools.wraps(function)
    def jitted(*arguments):
        return function(*arguments)
    return jitted


from . import experimental, lax, random, sharding  # noqa: E402,F401
from . import numpy as jax_numpy  # noqa: E402,F401
import jax.profiler  # noqa: E402,F401  nobody provides it but the alias
