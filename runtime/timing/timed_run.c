/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/timing/timed_run.h"

#include <string.h>

void nx_timed_run_release(struct nx_timed_run *run)
{
	nx_vec_release(&run->instructions);
	nx_vec_release(&run->semaphores);
	nx_vec_release(&run->packets);
	nx_vec_release(&run->throttles);
	nx_vec_release(&run->descriptors);
	nx_vec_release(&run->collectives);
	memset(run, 0, sizeof(*run));
}
