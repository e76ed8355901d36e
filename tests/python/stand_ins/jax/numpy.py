# SPDX-License-Identifier: Apache-2.0
"""Comparisons of arrays."""

from numpy import allclose  # noqa: F401
