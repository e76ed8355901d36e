# SPDX-License-Identifier: Apache-2.0
"""Lets scripts import torch_neuronx's and JAX's profilers by their own names.

With NEURON_EXPLORER_ALIASES=1 in the environment, an installed package calls install() when the
interpreter starts. The finder is the last one asked, so a real package always wins: an alias stands
only for a module that nothing else provides.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import os
import sys
from types import ModuleType
from typing import Any, Optional, Sequence

VARIABLE = 'NEURON_EXPLORER_ALIASES'

# The alias, and the module that it stands for.
ALIASES = {
    'torch_neuronx': 'neuron_explorer.compat.torch_neuronx',
    'torch_neuronx.experimental': 'neuron_explorer.compat.torch_neuronx.experimental',
    'torch_neuronx.experimental.profiler':
        'neuron_explorer.compat.torch_neuronx.experimental.profiler',
    'torch_neuronx.profiling': 'neuron_explorer.compat.torch_neuronx.profiling',
    'jax': 'neuron_explorer.compat.jax',
    'jax.profiler': 'neuron_explorer.compat.jax_profiler',
}


class AliasFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a module of ALIASES that nobody else found."""

    def find_spec(self, name: str, path: Optional[Sequence[str]] = None,
                  target: Optional[ModuleType] = None) -> Optional[importlib.machinery.ModuleSpec]:
        if name not in ALIASES:
            return None
        is_package = any(other.startswith(name + '.') for other in ALIASES)
        return importlib.machinery.ModuleSpec(name, self, is_package=is_package)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> Optional[ModuleType]:
        return None

    def exec_module(self, module: ModuleType) -> None:
        """The alias is a module of its own, with the other's names."""
        original = importlib.import_module(ALIASES[module.__name__])
        values: dict[str, Any] = {name: value for name, value in vars(original).items()
                                  if name in ('__getattr__', '__all__') or
                                  not name.startswith('__') and not isinstance(value, ModuleType)}
        vars(module).update(values)
        module.__doc__ = original.__doc__
        # Scripts write `import torch_neuronx` and use torch_neuronx.experimental.profiler.
        for name in ALIASES:
            parent, _, child = name.rpartition('.')
            if parent == module.__name__:
                setattr(module, child, importlib.import_module(name))


def install() -> None:
    """Adds the finder, once."""
    if not any(isinstance(finder, AliasFinder) for finder in sys.meta_path):
        sys.meta_path.append(AliasFinder())


def install_if_wanted() -> None:
    """Called when the interpreter starts."""
    if os.environ.get(VARIABLE, '') not in ('', '0'):
        install()
