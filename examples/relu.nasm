# y = relu(2x + 1), for 128 rows of 512 numbers.
#
# One instruction of the Scalar engine does it all: ACTIVATE computes function(scale*x + bias). Its
# bias is one number per partition, so the constant has 128 of them.
#
#	neuron-explorer neff --assemble relu.nasm -o relu.neff

.name relu
.arch trn2

.set COLS = 512
.set ROW = 4*COLS			# bytes of a row of fp32

.input    x    fp32 [128,COLS]
.constant one  fp32 [128,1] = 1.0
.output   y    fp32 [128,COLS]

# A queue's semaphore grows by 16 whenever a block of its transfers is done.
.semaphore loaded
.semaphore stored
.set scalar_done = 4			# the Scalar engine's own counter
.queue qSPIO0   owner=sp   type=in semaphores=[loaded]
.queue qPoolIO0 owner=pool type=in semaphores=[stored]

# Where things lie in each partition, in bytes.
.set X = 0
.set Y = ROW
.set BIAS = 2*ROW

.prologue

.layer load
.engine sp
# SB is the state buffer. Row r of a tensor goes to partition r.
.dma qSPIO0 from=x+0[1,ROW][ROW,128] to=SB+X[1,PARTITION][ROW,128]
.dma qSPIO0 from=one+0[1,4][4,128] to=SB+BIAS[1,PARTITION][4,128]

.layer relu
.engine act
# Two blocks of 16: at 32 both tensors are there.
ACTIVATE S[loaded]>=32 S[scalar_done]++@complete RELU bias_ptr=fp32@BIAS scale=2.0 src=fp32@X[1][COLS] dst=fp32@Y[1][COLS] channels=128

.layer store
.engine pool
.dma qPoolIO0 S[scalar_done]>=1 from=SB+Y[1,PARTITION][ROW,128] to=y+0[1,ROW][ROW,128]
# The program ends when its last transfer has ended.
NOP S[stored]>=16 cycle=0
