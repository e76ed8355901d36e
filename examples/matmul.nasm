# c = a b, with a of 256x256 and b of 256x512 in bfloat16, c in fp32: a product in tiles.
#
# The Tensor engine multiplies 128 x 128 at a time. LDWEIGHTS puts a tile into the array, MATMUL
# streams columns through it: psum[m][n] = sum over k of weights[k][m] * moving[k][n]. Both
# operands have k in the partitions, so a comes transposed, as at[k][m].
#
# Sums grow in PSUM: the first product of a tile overwrites (acc_flags bit 0), the others add, the
# last says so (bit 1).

.name matmul
.arch trn2

.set K = 256
.set M = 256
.set N = 512
.set TILES = K/128			# of k, for each tile of m

.input  at bfloat16 [K,M]
.input  b  bfloat16 [K,N]
.output c  fp32 [M,N]

.semaphore loaded
.semaphore stored
.set tensor_done = 5
.set vector_done = 6
.queue qSPIO0   owner=sp   type=in semaphores=[loaded]
.queue qPoolIO0 owner=pool type=in semaphores=[stored]

# Bytes of a row, and where the tiles lie in each partition: one behind the other.
.set AROW = 2*M
.set BROW = 2*N
.set CROW = 4*N
.set A = 0
.set B = A + TILES*AROW
.set C = B + TILES*BROW

.prologue

.layer load
.engine sp
.repeat TILES k
.dma qSPIO0 from=at+k*128*AROW[1,AROW][AROW,128] to=SB+A+k*AROW[1,PARTITION][AROW,128]
.dma qSPIO0 from=b+k*128*BROW[1,BROW][BROW,128] to=SB+B+k*BROW[1,PARTITION][BROW,128]
.end

.layer product
.engine pe
.repeat M/128 m
.repeat TILES k
# The array fills from its far end: the last of the 128 columns is read first, steps go down.
LDWEIGHTS S[loaded]>=32*(k+1) src=bfloat16@A+k*AROW+2*(128*m+127)[-1][128] 128*128
# 512 sums of fp32 fill one of the eight banks of PSUM, 2048 bytes; tile m gets bank m.
MATMUL S[tensor_done]++@complete acc_flags=(k==0)|((k==TILES-1)<<1) src=bfloat16@B+k*BROW[1][N] dst=psum(0,2048*m)[1][N] 128*128
.end
.end

# PSUM cannot be moved by DMA; an engine brings it to the state buffer.
.layer bring
.engine dve
.repeat M/128 m
COPY S[tensor_done]>=TILES*(m+1) S[vector_done]++@complete src=fp32@psum(0,2048*m)[1][N] dst=fp32@C+m*CROW[1][N] channels=128
.end

.layer store
.engine pool
.repeat M/128 m
.dma qPoolIO0 S[vector_done]>=m+1 from=SB+C+m*CROW[1,PARTITION][CROW,128] to=c+m*128*CROW[1,CROW][CROW,128]
.end
NOP S[stored]>=16*(M/128) cycle=0
