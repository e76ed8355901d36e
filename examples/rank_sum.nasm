# Four ranks, one sum: each rank doubles its x, and all get the sum over the ranks.
#
# A rank is a logical core with a process or thread of its own. It knows the others by the list of
# replica groups alone: a collective reads a tensor in device memory, waits for the other ranks of
# its group, and writes the result to another one. Load it with nrt_load_collectives on every rank.

.name rank_sum
.arch trn2

.set N = 64
.set ROW = 4*N
.set IN = 0
.set TWICE = ROW

.semaphore loaded
.semaphore stored
.set vector_done = 6
.set summed = 7

.input  x fp32 [128,N]
.output y fp32 [128,N]
.scratch part fp32 [128,N]
.replica_groups [[0,1,2,3]]
.queue qSPIO0   owner=sp   type=in   semaphores=[loaded]
.queue qPoolIO0 owner=pool type=data semaphores=[stored]

.prologue

.layer load
.engine sp
.dma qSPIO0 from=x[1,ROW][ROW,128] to=SB+IN[1,PARTITION][ROW,128]

.layer double
.engine dve
TENSOR_TENSOR S[loaded]>=16 S[vector_done]++@complete op=ADD src0=fp32@IN[1][N] src1=fp32@IN[1][N] dst=fp32@TWICE[1][N] channels=128

.layer sum
.engine pool
.dma qPoolIO0 S[vector_done]>=1 from=fp32@SB+TWICE[1,PARTITION][ROW,128] to=part[1,ROW][ROW,128]
PSEUDO_TRIGGER_COLLECTIVE S[stored]>=16 ctype=ALL_REDUCE input_tensor_id=part output_tensor_id=y num_elements=128*N dtype=fp32 op=ADD group_id=0

.core 1
.engine sp
NOP cycle=0
