# SPDX-License-Identifier: Apache-2.0
"""The part of torch_neuronx that profiles."""

from . import experimental, profiling

__all__ = ['experimental', 'profiling']
