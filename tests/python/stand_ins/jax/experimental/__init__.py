# SPDX-License-Identifier: Apache-2.0
"""jax.experimental.shard_map"""
