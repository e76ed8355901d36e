# y = softmax(x) of each of 128 rows of 512 numbers.
#
# exp grows fast, so the row's maximum is taken away first; the result is the same. Five
# instructions on two engines, each waiting for the one before it:
#
#	Vector	-max	Scalar	exp(x - max)	Vector	sum, 1/sum, product

.name softmax
.arch trn2

.set N = 512
.set ROW = 4*N

.input  x fp32 [128,N]
.output y fp32 [128,N]

.semaphore loaded
.semaphore stored
.set scalar_done = 4
.set vector_done = 6
.queue qSPIO0   owner=sp   type=in semaphores=[loaded]
.queue qPoolIO0 owner=pool type=in semaphores=[stored]

.set X = 0
.set E = ROW
.set Y = 2*ROW
.set MAX = 3*ROW			# one number per partition each
.set SUM = MAX + 4
.set INVERSE = SUM + 4

.prologue

.layer load
.engine sp
.dma qSPIO0 from=x+0[1,ROW][ROW,128] to=SB+X[1,PARTITION][ROW,128]

.engine dve
.layer max
TENSOR_REDUCE S[loaded]>=16 S[vector_done]++@complete op=MAX dim=X negated=1 src=fp32@X[1][N] dst=fp32@MAX[1][1] channels=128
.layer normalise
TENSOR_REDUCE S[scalar_done]>=1 S[vector_done]++@complete op=ADD dim=X src=fp32@E[1][N] dst=fp32@SUM[1][1] channels=128
# An engine may still be busy with its last instruction when the next begins; where one needs the
# result of the other it waits for its own counter.
RECIPROCAL S[vector_done]>=2 S[vector_done]++@complete src=fp32@SUM[1][1] dst=fp32@INVERSE[1][1] channels=128
TENSOR_SCALAR S[vector_done]>=3 S[vector_done]++@complete ops=MULTIPLY,BYPASS imm=INVERSE,0 imm_src=PTR,INSTRUCTION src=fp32@E[1][N] dst=fp32@Y[1][N] channels=128

.engine act
.layer exp
ACTIVATE S[vector_done]>=1 S[scalar_done]++@complete EXP bias_ptr=fp32@MAX scale=1.0 src=fp32@X[1][N] dst=fp32@E[1][N] channels=128

.layer store
.engine pool
.dma qPoolIO0 S[vector_done]>=4 from=SB+Y[1,PARTITION][ROW,128] to=y+0[1,ROW][ROW,128]
NOP S[stored]>=16 cycle=0
