# Two cores, one sum: core c brings part c of x, sends it to the other core's state buffer, and
# both add what they have. Each stores the whole sum into its part of y.
#
# The cores of a logical core have their own engines, semaphores and state buffer. What they share
# is device memory; "SB{1}" is the state buffer of core 1 as a variable, and a barrier lets both
# go on when both have come.

.name all_reduce
.arch trn2

.set N = 256
.set ROW = 4*N
.set PART = 128*ROW
.set OWN = 0
.set OTHER = ROW
.set SUM = 2*ROW

.set loaded = 10
.set stored = 11
.set sent = 12
.set met = 13				# counts the barriers this core has passed
.set vector_done = 6

# The text of both cores is the same but for their numbers.
.repeat 2 core
.core core
.input  x fp32 [2,128,N]
.output y fp32 [2,128,N]
.if core == 0
.variable "SB{1}" type=remote
.end
.if core == 1
.variable "SB{0}" type=remote
.end
.queue qSPIO0   owner=sp   type=in   semaphores=[loaded]
.queue qPoolIO0 owner=pool type=in   semaphores=[stored]
.queue qPoolSpillReload0 owner=pool type=data semaphores=[sent]

.prologue

.layer load
.engine sp
.dma qSPIO0 from=x+core*PART[1,ROW][ROW,128] to=SB+OWN[1,PARTITION][ROW,128]

.layer exchange
.engine pool
.if core == 0
.dma qPoolSpillReload0 S[loaded]>=16 from=fp32@SB+OWN[1,PARTITION][ROW,128] to="SB{1}"+OTHER[1,PARTITION][ROW,128]
.end
.if core == 1
.dma qPoolSpillReload0 S[loaded]>=16 from=fp32@SB+OWN[1,PARTITION][ROW,128] to="SB{0}"+OTHER[1,PARTITION][ROW,128]
.end
# Come to the barrier when the own part has left; behind it the other one has arrived.
PSEUDO_CORE_BARRIER S[sent]>=16 semaphore=9 id=0 S[met]++@complete

.layer add
.engine dve
TENSOR_TENSOR S[met]>=1 S[vector_done]++@complete op=ADD src0=fp32@OWN[1][N] src1=fp32@OTHER[1][N] dst=fp32@SUM[1][N] channels=128

.layer store
.engine pool
.dma qPoolIO0 S[vector_done]>=1 from=fp32@SB+SUM[1,PARTITION][ROW,128] to=y+core*PART[1,ROW][ROW,128]
NOP S[stored]>=16 cycle=0
.end
