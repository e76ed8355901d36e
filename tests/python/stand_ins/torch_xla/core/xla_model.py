# SPDX-License-Identifier: Apache-2.0
"""A device on which each step runs examples/mlp.nasm; operators run on the host."""

import os

import torch

from neuron_explorer import runtime

_model = None


def xla_device():
    global _model
    if _model is None:
        _model = runtime.load(os.environ['STAND_IN_NEFFS'] + '/mlp.neff')
    return torch.device('cpu')


def mark_step():
    _model()
