# SPDX-License-Identifier: Apache-2.0
"""Random numbers of a seed."""

import numpy


def key(seed):
    return seed


def normal(seed, shape):
    from . import Array
    return Array(numpy.random.default_rng(seed).normal(size=shape))
