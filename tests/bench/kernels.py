#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Published kernels as texts for the assembler.

usage: kernels.py NAME FILE.nasm [--small]
       kernels.py --list

With --small the same schedule has few tiles, for a look at its numbers.
"""

import pathlib
import sys

import kernels_matmul as matmul
import kernels_vector as vector

BIG = (4096, 8192, 8192)

KERNELS = {
    'a_v3': lambda: matmul.matmul_rows(BIG),
    'a_v4': lambda: matmul.matmul_rows(BIG, 2, 2),
    'a_v5': lambda: matmul.matmul_blocked(BIG),
    'e_v1': lambda: matmul.matmul_panels((4096, 4096, 4096), 8, False, 1),
    'e_v2': lambda: matmul.matmul_panels((4096, 4096, 4096)),
    'e_tensor': lambda: matmul.matmul_stream(2048),
    'e_dma': lambda: vector.dma_stream(256, 4096),
    'f_top': lambda: matmul.matmul_resident((2048, 2048, 2048)),
    'd_v1_256': lambda: vector.mamba_plain(256, 512),
    'd_v1_4096': lambda: vector.mamba_plain(4096, 512),
    'd_v2_512': lambda: vector.mamba_tiled(4096, 512),
    'd_v3_2048': lambda: vector.mamba_tiled(4096, 2048),
    'd_v3_4096': lambda: vector.mamba_tiled(4096, 4096),
    'd_v3_8192': lambda: vector.mamba_tiled(4096, 8192),
    'g_matmul': lambda: matmul.matmul_turned((4096, 5120, 12288)),
    'g_bmm': lambda: matmul.matmul_batched(16, (4096, 64, 4096)),
    'h_add_trn2_1': lambda: vector.vector_add('trn2', 25600, 1, 1),
    'h_add_trn2_200': lambda: vector.vector_add('trn2', 25600, 128, 200),
    'h_add_trn2_2000': lambda: vector.vector_add('trn2', 256000, 128, 2000),
    'h_add_trn2_1000': lambda: vector.vector_add('trn2', 256000, 128, 1000),
    'h_add_trn1_1': lambda: vector.vector_add('trn1', 25600, 1, 1),
    'h_add_trn1_128': lambda: vector.vector_add('trn1', 25600, 128, 1),
    'h_add_trn1_2': lambda: vector.vector_add('trn1', 25600, 128, 2),
    'h_add_trn1_1_one': lambda: vector.vector_add('trn1', 25600, 1, 1, 1),
    'h_add_trn1_128_one': lambda: vector.vector_add('trn1', 25600, 128, 1, 1),
    'h_add_trn1_2_one': lambda: vector.vector_add('trn1', 25600, 128, 2, 1),
    'h_add_trn1_1_serial': lambda: vector.vector_add('trn1', 25600, 1, 1, 0),
    'h_add_trn1_128_serial': lambda: vector.vector_add('trn1', 25600, 128, 1, 0),
    'h_add_trn1_2_serial': lambda: vector.vector_add('trn1', 25600, 128, 2, 0),
    'h_add_trn1_200': lambda: vector.vector_add('trn1', 25600, 128, 200),
    'h_transpose': lambda: matmul.transpose_array(4096),
    'h_conv_fp32': lambda: vector.convolution('fp32', 256, 224, 224),
    'h_conv_fp16': lambda: vector.convolution('fp16', 256, 224, 224),
}

SMALL = {
    'a_v3': lambda: matmul.matmul_rows((256, 512, 1024)),
    'a_v4': lambda: matmul.matmul_rows((512, 256, 1024), 2, 2),
    'a_v5': lambda: matmul.matmul_blocked((512, 512, 1024), 4, 1, 2),
    'e_v1': lambda: matmul.matmul_panels((512, 256, 1024), 2, False, 1),
    'e_v2': lambda: matmul.matmul_panels((512, 256, 1024), 2),
    'e_tensor': lambda: matmul.matmul_stream(12),
    'f_top': lambda: matmul.matmul_resident((512, 256, 1024)),
    'd_v1_256': lambda: vector.mamba_plain(256, 16, 5, True),
    'd_v2_512': lambda: vector.mamba_tiled(256, 16, 5, 16, True),
    'd_v3_8192': lambda: vector.mamba_tiled(256, 24, 5, 8, True),
    'g_matmul': lambda: matmul.matmul_turned((256, 256, 2048)),
    'g_bmm': lambda: matmul.matmul_batched(3, (256, 64, 1024)),
    'h_add_trn2_1': lambda: vector.vector_add('trn2', 40, 1, 1),
    'h_add_trn2_1000': lambda: vector.vector_add('trn2', 128 * 40, 128, 4),
    'h_add_trn1_128': lambda: vector.vector_add('trn1', 128 * 20, 128, 1),
    'h_add_trn1_128_serial': lambda: vector.vector_add('trn1', 128 * 20, 128, 1, 0),
    'h_add_trn1_200': lambda: vector.vector_add('trn1', 128 * 20, 128, 20),
    'h_transpose': lambda: matmul.transpose_array(1024),
    'h_conv_fp32': lambda: vector.convolution('fp32', 256, 12, 16),
    'h_conv_fp16': lambda: vector.convolution('fp16', 256, 12, 16),
}


def main(argv):
    if argv[1:] == ['--list']:
        print('\n'.join(KERNELS))
        return 0
    kernels = SMALL if argv[3:] == ['--small'] else KERNELS
    if len(argv) < 3 or argv[1] not in kernels:
        print(__doc__, file=sys.stderr)
        return 2
    pathlib.Path(argv[2]).write_text(kernels[argv[1]]())
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
