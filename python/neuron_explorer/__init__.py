# SPDX-License-Identifier: Apache-2.0
"""Open Neuron Explorer for Python: profile a program, run NEFFs, ask profiles.

    from neuron_explorer import profiler

    with profiler.trace('output'):
        with profiler.TraceAnnotation('forward'):
            ...

`neuron_explorer.profiler` records a block of code: Python calls, annotations, operators of PyTorch,
runtime calls and the work of the NeuronCores on one timeline. `neuron_explorer.runtime` loads and runs
a NEFF. `neuron_explorer.profiles` opens what either of them wrote.
"""

from ._version import __version__
from .profiles import Profile, open_profile

__all__ = ['Profile', '__version__', 'open_profile']
