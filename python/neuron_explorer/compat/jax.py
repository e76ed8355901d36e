# SPDX-License-Identifier: Apache-2.0
"""The part of JAX that profiles: jax.profiler. Without JAX nothing else is here."""

from . import jax_profiler as profiler

__all__ = ['profiler']


def __getattr__(name: str) -> object:
    raise AttributeError(f'jax.{name}: JAX is not installed; neuron_explorer provides jax.profiler '
                         'only')
