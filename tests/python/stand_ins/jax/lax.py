# SPDX-License-Identifier: Apache-2.0
"""Collectives over one device."""


def all_gather(values, axis, tiled=False):
    return values
