# SPDX-License-Identifier: Apache-2.0
"""The version of the package, which is that of the project."""

__version__ = '0.1.0'
