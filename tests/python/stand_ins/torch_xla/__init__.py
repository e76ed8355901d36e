# SPDX-License-Identifier: Apache-2.0
"""As much of PyTorch/XLA as the guides' scripts use; see core/xla_model.py."""
