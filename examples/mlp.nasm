# y = relu(x w1 + b1) w2 + b2, for 128 tokens of 128 features and 256 hidden ones.
#
# Features lie in the partitions and tokens beside each other: x comes as xt[feature][token], y
# leaves as yt[feature][token]. The result of one product then has the layout the next one wants,
# nothing is transposed, and a bias is one number per partition, which ACTIVATE adds for free:
# out = function(scale * in + bias).

.name mlp
.arch trn2

.set D = 128				# features
.set H = 256				# hidden features, in tiles of 128
.set T = 128				# tokens
.set TILES = H/128

.input  xt bfloat16 [D,T]
.input  w1 bfloat16 [D,H]
.input  b1 fp32 [H]
.input  w2 bfloat16 [H,D]
.input  b2 fp32 [D]
.output yt fp32 [D,T]

.semaphore loaded
.semaphore stored
.set scalar_done = 4
.set tensor_done = 5
.queue qSPIO0   owner=sp   type=in semaphores=[loaded]
.queue qPoolIO0 owner=pool type=in semaphores=[stored]

.set X = 0
.set W1 = X + 2*T
.set W2 = W1 + 2*H			# tile h of w2 behind tile h-1
.set B1 = W2 + TILES*2*D
.set B2 = B1 + 4*TILES
.set HIDDEN = B2 + 4
.set Y = HIDDEN + TILES*2*T

.prologue

.layer load
.engine sp
.dma qSPIO0 from=xt+0[1,2*T][2*T,D] to=SB+X[1,PARTITION][2*T,D]
.dma qSPIO0 from=w1+0[1,2*H][2*H,D] to=SB+W1[1,PARTITION][2*H,D]
.repeat TILES h
.dma qSPIO0 from=w2+h*128*2*D[1,2*D][2*D,128] to=SB+W2+h*2*D[1,PARTITION][2*D,128]
# One number for each partition: 128 runs of four bytes.
.dma qSPIO0 from=b1+h*128*4[1,4][4,128] to=SB+B1+4*h[1,PARTITION][4,128]
.end
.dma qSPIO0 from=b2+0[1,4][4,128] to=SB+B2[1,PARTITION][4,128]
.set LOADS = 3 + 2*TILES

.engine pe
.layer first
.repeat TILES h
LDWEIGHTS S[loaded]>=16*LOADS src=bfloat16@W1+2*(128*h+127)[-1][128] 128*128
MATMUL S[tensor_done]++@complete acc_flags=3 src=bfloat16@X[1][T] dst=psum(0,2048*h)[1][T] 128*128
.end
# Tile h of the hidden features is there when the Scalar engine has made it.
.layer second
.repeat TILES h
LDWEIGHTS S[scalar_done]>=h+1 src=bfloat16@W2+h*2*D+2*127[-1][128] 128*128
MATMUL S[tensor_done]++@complete acc_flags=(h==0)|((h==TILES-1)<<1) src=bfloat16@HIDDEN+h*2*T[1][T] dst=psum(0,2048*TILES)[1][T] 128*128
.end

.engine act
.layer relu
.repeat TILES h
ACTIVATE S[tensor_done]>=h+1 S[scalar_done]++@complete RELU bias_ptr=fp32@B1+4*h scale=1.0 src=fp32@psum(0,2048*h)[1][T] dst=bfloat16@HIDDEN+h*2*T[1][T] channels=128
.end
.layer bias
ACTIVATE S[tensor_done]>=2*TILES S[scalar_done]++@complete IDENTITY bias_ptr=fp32@B2 scale=1.0 src=fp32@psum(0,2048*TILES)[1][T] dst=fp32@Y[1][T] channels=128

.layer store
.engine pool
.dma qPoolIO0 S[scalar_done]>=TILES+1 from=SB+Y[1,PARTITION][4*T,D] to=yt+0[1,4*T][4*T,D]
NOP S[stored]>=16 cycle=0
