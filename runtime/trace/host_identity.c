/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/trace/host_identity.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/ntrace.h"

static size_t read_line(const char *path, char *out, size_t cap)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, out, cap - 1);

	if (fd >= 0)
		close(fd);
	out[len > 0 ? len : 0] = '\0';
	out[strcspn(out, " \t\r\n")] = '\0';
	return strlen(out);
}

/* It becomes part of a folder name, so only letters, digits and dashes are allowed. */
static bool is_usable(const char *id)
{
	size_t len = strlen(id);

	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)id[i]) && id[i] != '-')
			return false;
	return len > 0 && len < 60;
}

static void make_up_id(struct nx_host_identity *identity)
{
	char seed[200];

	if (!read_line("/etc/machine-id", seed, sizeof(seed)))
		snprintf(seed, sizeof(seed), "%s", identity->hostname);
	snprintf(identity->instance_id, sizeof(identity->instance_id), "i-%017llx",
		 (unsigned long long)nx_ntrace_intern_id(nx_slice_text(seed)));
}

void nx_host_identity_read(struct nx_host_identity *identity)
{
	const char *given = getenv("NEURON_INSTANCE_ID");

	memset(identity, 0, sizeof(*identity));
	if (gethostname(identity->hostname, sizeof(identity->hostname) - 1))
		identity->hostname[0] = '\0';
	if (given && is_usable(given)) {
		snprintf(identity->instance_id, sizeof(identity->instance_id), "%s", given);
		return;
	}
	identity->is_variable_unusable = given && *given;
	if (read_line("/sys/class/dmi/id/board_asset_tag", identity->instance_id,
		      sizeof(identity->instance_id)) &&
	    strncmp(identity->instance_id, "i-", 2) == 0 && is_usable(identity->instance_id))
		return;
	make_up_id(identity);
}
