/* SPDX-License-Identifier: Apache-2.0 */
/* A program that knows libnrt.so.1 alone: it calls the runtime until its stdin ends. */
#include <nrt/nrt.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

	if (nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", ""))
		return 1;
	printf("ready\n");
	fflush(stdout);
	while (poll(&input, 1, 1) == 0) {
		nrt_tensor_t *tensor;

		if (nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_HOST, 0, 64, "t", &tensor))
			return 2;
		nrt_tensor_free(&tensor);
	}
	nrt_close();
	return 0;
}
