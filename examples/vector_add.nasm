# c = a + b, for 128 rows of 512 numbers.
#
# The smallest program that does something: two tensors come in from device memory, one engine
# adds them, the sum goes back. It shows the three things every program is made of:
#
#   memory	128 partitions on chip; row r of a tensor lies in partition r
#   transfers	a queue moves bytes while the engines work
#   semaphores	counters by which engines and queues wait for each other
#
#	neuron-explorer neff --assemble vector_add.nasm -o vector_add.neff

.name vector_add
.arch trn2

.set COLS = 512
.set ROW = 4*COLS			# bytes of a row of fp32

.input  a fp32 [128,COLS]
.input  b fp32 [128,COLS]
.output c fp32 [128,COLS]

# Each of the two queues has a semaphore that grows by 16 whenever a block of transfers is done.
.semaphore loaded
.semaphore stored
.set vector_done = 6			# the Vector engine's own counter
.queue qSPIO0   owner=sp   type=in semaphores=[loaded]
.queue qPoolIO0 owner=pool type=in semaphores=[stored]

# Where things lie in each partition, in bytes.
.set A = 0
.set B = ROW
.set C = 2*ROW

.prologue

.layer load
.engine sp
# Steps come first, then sizes: runs of ROW bytes; 128 of them, ROW bytes apart in memory and
# PARTITION bytes apart on chip.
.dma qSPIO0 from=a+0[1,ROW][ROW,128] to=SB+A[1,PARTITION][ROW,128]
.dma qSPIO0 from=b+0[1,ROW][ROW,128] to=SB+B[1,PARTITION][ROW,128]

.layer add
.engine dve
# Two blocks of 16: at 32 both tensors are there.
TENSOR_TENSOR S[loaded]>=32 S[vector_done]++@complete op=ADD src0=fp32@A[1][COLS] src1=fp32@B[1][COLS] dst=fp32@C[1][COLS] channels=128

.layer store
.engine pool
.dma qPoolIO0 S[vector_done]>=1 from=SB+C[1,PARTITION][ROW,128] to=c+0[1,ROW][ROW,128]
# The program ends when its last transfer has ended.
NOP S[stored]>=16 cycle=0
