# out = softmax(q k' / 8) v: one head of attention, 128 queries, 128 keys, 64 numbers each.
#
# Three uses of the Tensor engine: the scores q k', a transposition of the probabilities (a product
# with the identity, in transpose mode), and the mixture of values. Scores have queries in the
# partitions, so that the softmax runs along a row; the last product wants keys there.

.name attention
.arch trn2

.set D = 64
.set S = 128
.set SCALE = 0.125			# 1/sqrt(D)

.input  qt bfloat16 [D,S]		# transposed: the products sum over D
.input  kt bfloat16 [D,S]
.input  v  bfloat16 [S,D]
.output out fp32 [S,D]
.constant one bfloat16 [128,128] = identity

.semaphore loaded
.semaphore stored
.set scalar_done = 4
.set tensor_done = 5
.set vector_done = 6
.queue qSPIO0   owner=sp   type=in semaphores=[loaded]
.queue qPoolIO0 owner=pool type=in semaphores=[stored]

.set Q = 0
.set K = Q + 2*S
.set V = K + 2*S
.set ONE = V + 2*D
.set MAX = ONE + 2*128
.set BIAS = MAX + 4
.set SUM = BIAS + 4
.set INVERSE = SUM + 4
.set E = INVERSE + 4			# exp, fp32
.set P = E + 4*S			# probabilities, bfloat16
.set PT = P + 2*S			# transposed
.set OUT = PT + 2*S

.prologue

.layer load
.engine sp
.dma qSPIO0 from=qt+0[1,2*S][2*S,D] to=SB+Q[1,PARTITION][2*S,D]
.dma qSPIO0 from=kt+0[1,2*S][2*S,D] to=SB+K[1,PARTITION][2*S,D]
.dma qSPIO0 from=v+0[1,2*D][2*D,S] to=SB+V[1,PARTITION][2*D,S]
.dma qSPIO0 from=one+0[1,256][256,128] to=SB+ONE[1,PARTITION][256,128]

.engine pe
.layer scores
# Only 64 of the 128 rows of the array are used.
LDWEIGHTS S[loaded]>=64 src=bfloat16@Q+2*(S-1)[-1][S] D*S
MATMUL S[tensor_done]++@complete acc_flags=3 src=bfloat16@K[1][S] dst=psum(0,0)[1][S] D*S
.layer transpose
# In transpose mode the numbers pass unchanged and keep their type in PSUM.
LDWEIGHTS S[vector_done]>=5 transpose_mode=ENABLED src=bfloat16@P+2*(S-1)[-1][S] S*S
MATMUL S[tensor_done]++@complete transpose_mode=ENABLED acc_flags=3 src=bfloat16@ONE[1][S] dst=psum(0,2048)[1][S] S*S
.layer values
LDWEIGHTS S[vector_done]>=6 src=bfloat16@PT+2*(S-1)[-1][S] S*S
MATMUL S[tensor_done]++@complete acc_flags=3 src=bfloat16@V[1][D] dst=psum(0,4096)[1][D] S*S

.engine dve
.layer softmax
TENSOR_REDUCE S[tensor_done]>=1 S[vector_done]++@complete op=MAX dim=X negated=1 src=fp32@psum(0,0)[1][S] dst=fp32@MAX[1][1] channels=128
# exp(SCALE*score + bias) with bias = -SCALE*max
TENSOR_SCALAR S[vector_done]>=1 S[vector_done]++@complete ops=MULTIPLY,BYPASS imm=SCALE,0 imm_src=INSTRUCTION,INSTRUCTION src=fp32@MAX[1][1] dst=fp32@BIAS[1][1] channels=128
TENSOR_REDUCE S[scalar_done]>=1 S[vector_done]++@complete op=ADD dim=X src=fp32@E[1][S] dst=fp32@SUM[1][1] channels=128
RECIPROCAL S[vector_done]>=3 S[vector_done]++@complete src=fp32@SUM[1][1] dst=fp32@INVERSE[1][1] channels=128
TENSOR_SCALAR S[vector_done]>=4 S[vector_done]++@complete ops=MULTIPLY,BYPASS imm=INVERSE,0 imm_src=PTR,INSTRUCTION src=fp32@E[1][S] dst=bfloat16@P[1][S] channels=128
.layer transpose
COPY S[tensor_done]>=2 S[vector_done]++@complete src=bfloat16@psum(0,2048)[1][S] dst=bfloat16@PT[1][S] channels=128
.layer values
COPY S[tensor_done]>=3 S[vector_done]++@complete src=fp32@psum(0,4096)[1][D] dst=fp32@OUT[1][D] channels=128

.engine act
.layer softmax
ACTIVATE S[vector_done]>=2 S[scalar_done]++@complete EXP bias_ptr=fp32@BIAS scale=SCALE src=fp32@psum(0,0)[1][S] dst=fp32@E[1][S] channels=128

.layer store
.engine pool
.dma qPoolIO0 S[vector_done]>=7 from=SB+OUT[1,PARTITION][4*D,S] to=out+0[1,4*D][4*D,S]
NOP S[stored]>=16 cycle=0
