# SPDX-License-Identifier: Apache-2.0
"""torch_neuronx.profiling: what torch.profiler.profile takes for Neuron devices."""

from ...profiler import NeuronConfig, NeuronProfiler, ProfileMode

__all__ = ['NeuronConfig', 'NeuronProfiler', 'ProfileMode']
