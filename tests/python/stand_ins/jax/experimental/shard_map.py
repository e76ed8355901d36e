# SPDX-License-Identifier: Apache-2.0
"""A function over all shards, of which there is one."""


def shard_map(function, mesh, in_specs, out_specs):
    return function
