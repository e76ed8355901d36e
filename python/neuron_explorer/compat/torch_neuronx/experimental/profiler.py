# SPDX-License-Identifier: Apache-2.0
"""torch_neuronx.experimental.profiler: `with profile(...): ...`

The defaults are those of torch_neuronx: profile_type='operator', ms_duration=60000.
"""

from __future__ import annotations

from typing import Any, Optional

from ....profiler import profile as _profile

__all__ = ['profile']


class profile(_profile):
    """neuron_explorer.profiler.profile with the defaults of torch_neuronx."""

    def __init__(self, *, profile_type: str = 'operator', ms_duration: Optional[float] = 60000,
                 **parameters: Any) -> None:
        super().__init__(profile_type=profile_type, ms_duration=ms_duration, **parameters)
