# SPDX-License-Identifier: Apache-2.0
"""The profilers of torch_neuronx and JAX, by their names, for scripts that change an import line.

    from neuron_explorer.compat import torch_neuronx
    from neuron_explorer.compat.torch_neuronx.experimental import profiler
    from neuron_explorer.compat import jax_profiler
"""
