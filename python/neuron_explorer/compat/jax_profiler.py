# SPDX-License-Identifier: Apache-2.0
"""jax.profiler by its own names."""

from ..profiler import (ProfileOptions, StepTraceAnnotation, TraceAnnotation, annotate_function,
                        start_server, start_trace, stop_server, stop_trace, trace)

__all__ = ['ProfileOptions', 'StepTraceAnnotation', 'TraceAnnotation', 'annotate_function',
           'start_server', 'start_trace', 'stop_server', 'stop_trace', 'trace']
