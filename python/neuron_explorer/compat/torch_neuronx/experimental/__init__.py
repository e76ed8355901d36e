# SPDX-License-Identifier: Apache-2.0
"""torch_neuronx.experimental.profiler"""

from . import profiler

__all__ = ['profiler']
