# SPDX-License-Identifier: Apache-2.0
"""The guides' scripts import it, and use nothing of it."""
