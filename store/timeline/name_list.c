/* SPDX-License-Identifier: Apache-2.0 */
#include "store/timeline/name_list.h"

#define LONGEST_LIST 64
#define LONGEST_LOW_LIST 24
#define LITTLE 16 /* a name with less than this part of the first is left out */

struct head {
	uint8_t count;
	uint8_t name_width;
	uint8_t busy_width;
	uint8_t unused;
	uint32_t name_base;
	uint64_t rest_ns;
};

_Static_assert(sizeof(struct head) == 16, "the head is stored as it is");

static size_t choose(const struct nx_name_busy *largest, size_t count, size_t longest)
{
	size_t chosen = 0;

	while (chosen < count && chosen < longest &&
	       largest[chosen].busy_ns >= largest[0].busy_ns / LITTLE)
		chosen++;
	/* Where none stands out nothing can be decided: not worth its bytes. */
	if (chosen < count && largest[chosen].busy_ns > largest[0].busy_ns / 2)
		return 0;
	return chosen;
}

void nx_name_list_append(struct nx_bytes *bytes, const struct nx_name_tally *tally, unsigned level)
{
	struct nx_name_busy largest[LONGEST_LIST + 1];
	size_t longest = level ? LONGEST_LIST : LONGEST_LOW_LIST;
	size_t found = nx_name_tally_largest(tally, largest, longest + 1);
	size_t count = choose(largest, found, longest);
	uint64_t names[LONGEST_LIST] = {0}, busy_ns[LONGEST_LIST] = {0};
	struct head head = {.count = (uint8_t)count, .name_base = UINT32_MAX};
	uint64_t spread = 0;

	for (size_t i = 0; i < count; i++)
		head.name_base =
			largest[i].name < head.name_base ? largest[i].name : head.name_base;
	for (size_t i = 0; i < count; i++) {
		names[i] = largest[i].name - head.name_base;
		busy_ns[i] = largest[i].busy_ns;
		spread |= names[i];
	}
	head.name_width = (uint8_t)nx_packed_width(spread);
	head.busy_width = (uint8_t)nx_packed_width(busy_ns[0]);
	head.rest_ns = count < found ? largest[count].busy_ns : 0;
	nx_bytes_append(bytes, &head, sizeof(head));
	nx_packed_append(bytes, names, count, head.name_width);
	nx_packed_append(bytes, busy_ns, count, head.busy_width);
}

void nx_name_list_read(struct nx_name_list *list, const uint64_t *numbers, uint64_t count)
{
	const uint8_t *bytes = (const void *)numbers;
	struct head head;
	size_t name_bytes, busy_bytes;

	*list = (struct nx_name_list){0};
	if (count < sizeof(head) / sizeof(*numbers))
		return;
	memcpy(&head, bytes, sizeof(head));
	name_bytes = nx_packed_bytes(head.count, head.name_width);
	busy_bytes = nx_packed_bytes(head.count, head.busy_width);
	if (head.name_width > 8 || head.busy_width > 8 ||
	    (sizeof(head) + name_bytes + busy_bytes) / sizeof(*numbers) > count)
		return;
	*list = (struct nx_name_list){
		.count = head.count,
		.rest_ns = head.rest_ns,
		.name_base = head.name_base,
		.names = {bytes + sizeof(head), head.name_width},
		.busy_ns = {bytes + sizeof(head) + name_bytes, head.busy_width},
	};
}
