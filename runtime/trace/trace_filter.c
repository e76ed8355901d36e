/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/trace/trace_filter.h"

#include <assert.h>
#include <strings.h>

#include "base/bare/text.h"
#include "runtime/trace/trace_event.h"

#define BIT(type) (UINT64_C(1) << (type))

static_assert(NX_TRACE_MAX_CORES % 64 == 0, "cores are whole words");
static_assert(NX_TRACE_TYPE_COUNT <= 64, "a type is a bit");

/* As AWS's examples of filters spell them. */
static const struct {
	const char *name;
	uint8_t type;
} aliases[] = {
	{"model_load", NX_TRACE_NRT_LOAD},
	{"post_request", NX_TRACE_POST_REQUEST},
	{"runtime_execute", NX_TRACE_KMGR_EXEC},
	{"cc_load", NX_TRACE_LOAD_COLLECTIVES},
	{"device_exec", NX_TRACE_NC_RUNNING},
	{"cc_exec", NX_TRACE_CC_RUNNING},
	{"tensor_read", NX_TRACE_TENSOR_READ},
	{"tensor_write", NX_TRACE_TENSOR_WRITE},
	{"tensor_read_batch", NX_TRACE_TENSOR_READ_BATCH},
	{"tensor_write_batch", NX_TRACE_TENSOR_WRITE_BATCH},
	{"exec_pre", NX_TRACE_EXEC_PRE},
	{"exec_core", NX_TRACE_EXEC_CORE},
	{"exec_wait", NX_TRACE_EXEC_WAIT},
	{"exec_post", NX_TRACE_EXEC_POST},
	{"model_switch", NX_TRACE_RT_MODEL_SWITCH},
	{"model_submit", NX_TRACE_MODEL_SUBMIT},
	{"timestamp_sync", NX_TRACE_SYNC_POINT},
	{"tensor_alloc", NX_TRACE_TENSOR_ALLOCATE},
	{"tensor_free", NX_TRACE_TENSOR_FREE},
	{"dma_mem_alloc", NX_TRACE_MEM_ALLOC},
	{"dma_mem_dealloc", NX_TRACE_MEM_DEALLOC},
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

uint64_t nx_trace_filter_all_types(void)
{
	return BIT(NX_TRACE_TYPE_COUNT) - 1;
}

static uint64_t hardware_types(void)
{
	/* AWS's list has the runtime's own switch in the hardware group, files have the core's. */
	uint64_t bits = BIT(NX_TRACE_RT_MODEL_SWITCH);

	for (unsigned type = 0; type < NX_TRACE_TYPE_COUNT; type++)
		if (nx_ntrace_is_hardware(nx_ntrace_event_name(type)))
			bits |= BIT(type);
	return bits;
}

void nx_trace_filter_set_all(struct nx_trace_filter *filter)
{
	memset(filter->cores, 0xff, sizeof(filter->cores));
	filter->types = nx_trace_filter_all_types();
}

bool nx_trace_filter_set_core(struct nx_trace_filter *filter, uint32_t core, bool is_on)
{
	uint64_t bit = UINT64_C(1) << (core % 64);

	if (core >= NX_TRACE_MAX_CORES)
		return false;
	filter->cores[core / 64] &= ~bit;
	if (is_on)
		filter->cores[core / 64] |= bit;
	return true;
}

/* --- lists ------------------------------------------------------------------ */

static struct nx_slice trim(struct nx_slice text)
{
	while (text.len && (*text.data == ' ' || *text.data == '\t'))
		text = nx_slice_of(text.data + 1, text.len - 1);
	while (text.len && (text.data[text.len - 1] == ' ' || text.data[text.len - 1] == '\t'))
		text.len--;
	return text;
}

/* The next item; *at becomes NULL after the last. */
static struct nx_slice next_item(const char **at)
{
	const char *start = *at, *comma = strchr(start, ',');
	size_t len = comma ? (size_t)(comma - start) : strlen(start);

	*at = comma ? comma + 1 : NULL;
	return trim(nx_slice_of(start, len));
}

/* --- cores -------------------------------------------------------------------- */

static bool parse_range(struct nx_slice item, uint64_t *first, uint64_t *last)
{
	const uint8_t *dash = item.len ? memchr(item.data, '-', item.len) : NULL;
	struct nx_slice left = item, right = item;

	if (dash) {
		left = trim(nx_slice_of(item.data, (size_t)(dash - item.data)));
		right = trim(nx_slice_of(dash + 1, item.len - (size_t)(dash + 1 - item.data)));
	}
	return nx_slice_to_u64(left, first) && nx_slice_to_u64(right, last);
}

static enum nx_status check_range(struct nx_slice item, uint64_t first, uint64_t last,
				  struct nx_error *err)
{
	if (first > last)
		return nx_fail(err, NX_USAGE,
			       "the range of cores \"%.*s\" runs backwards; did you mean "
			       "\"%llu-%llu\"?",
			       (int)item.len, (const char *)item.data, (unsigned long long)last,
			       (unsigned long long)first);
	if (last >= NX_TRACE_MAX_CORES)
		return nx_fail(err, NX_USAGE,
			       "there is no core %llu; the highest core number is %d",
			       (unsigned long long)last, NX_TRACE_MAX_CORES - 1);
	return NX_OK;
}

enum nx_status nx_trace_filter_parse_cores(struct nx_trace_filter *filter, const char *text,
					   struct nx_error *err)
{
	struct nx_trace_filter found = {.types = filter->types};
	uint64_t first, last;

	while (text) {
		struct nx_slice item = next_item(&text);

		if (!parse_range(item, &first, &last))
			return nx_fail(err, NX_USAGE,
				       "\"%.*s\" is not a core; write numbers and ranges as in "
				       "\"0,2,4-7\"",
				       (int)(item.len < 40 ? item.len : 40),
				       item.len ? (const char *)item.data : "");
		if (check_range(item, first, last, err))
			return NX_USAGE;
		for (uint64_t core = first; core <= last; core++)
			nx_trace_filter_set_core(&found, (uint32_t)core, true);
	}
	*filter = found;
	return NX_OK;
}

/* --- types -------------------------------------------------------------------- */

/* The bits of an event type or group; 0 for an unknown name. */
static uint64_t bits_of(struct nx_slice name)
{
	if (nx_slice_is(name, "hardware"))
		return hardware_types();
	if (nx_slice_is(name, "software"))
		return nx_trace_filter_all_types() & ~hardware_types();
	for (unsigned type = 0; type < NX_TRACE_TYPE_COUNT; type++)
		if (nx_slice_is(name, nx_ntrace_event_name(type)))
			return BIT(type);
	for (size_t i = 0; i < COUNT_OF(aliases); i++)
		if (nx_slice_is(name, aliases[i].name))
			return BIT(aliases[i].type);
	return 0;
}

static void consider(struct nx_slice name, const char *candidate, unsigned *least,
		     const char **nearest)
{
	unsigned d = nx_edit_distance(name, nx_slice_text(candidate));
	size_t len = strlen(candidate);

	if (len && len == name.len && !strncasecmp(candidate, (const char *)name.data, len))
		d = 1;
	/* beyond that a hint misleads more than it helps */
	if (d > 1 + len / 4 || d >= len || (*nearest && d >= *least))
		return;
	*least = d;
	*nearest = candidate;
}

static const char *nearest_type(struct nx_slice name)
{
	const char *nearest = NULL;
	unsigned least = 0;

	for (unsigned type = 0; type < NX_TRACE_TYPE_COUNT; type++)
		consider(name, nx_ntrace_event_name(type), &least, &nearest);
	for (size_t i = 0; i < COUNT_OF(aliases); i++)
		consider(name, aliases[i].name, &least, &nearest);
	consider(name, "hardware", &least, &nearest);
	consider(name, "software", &least, &nearest);
	return nearest;
}

const char *nx_trace_filter_nearest_of(struct nx_slice name, const char *const *candidates,
				       size_t count)
{
	const char *nearest = NULL;
	unsigned least = 0;

	assert(count > 0);
	for (size_t i = 0; i < count; i++)
		consider(name, candidates[i], &least, &nearest);
	return nearest;
}

static enum nx_status no_such_type(struct nx_slice item, struct nx_error *err)
{
	const char *nearest = nearest_type(item);

	if (item.len == 0)
		return nx_fail(err, NX_USAGE,
			       "the list of event types has an empty item; write names as in "
			       "\"hardware,nrt_execute\"");
	if (!nearest)
		return nx_fail(err, NX_USAGE,
			       "there is no event type \"%.*s\"; 'neuron-explorer capture "
			       "--systrace-get-event-types' lists them",
			       (int)(item.len < 60 ? item.len : 60), (const char *)item.data);
	return nx_fail(err, NX_USAGE, "there is no event type \"%.*s\"; did you mean \"%s\"?",
		       (int)(item.len < 60 ? item.len : 60), (const char *)item.data, nearest);
}

enum nx_status nx_trace_filter_set_type(struct nx_trace_filter *filter, const char *name,
					bool is_on, struct nx_error *err)
{
	uint64_t bits = bits_of(nx_slice_text(name));

	if (!bits)
		return no_such_type(nx_slice_text(name), err);
	filter->types = is_on ? filter->types | bits : filter->types & ~bits;
	return NX_OK;
}

enum nx_status nx_trace_filter_parse_types(struct nx_trace_filter *filter, const char *text,
					   struct nx_error *err)
{
	uint64_t wanted = 0, excluded = 0;
	bool has_wanted = false;

	while (text) {
		struct nx_slice item = next_item(&text);
		bool excludes = item.len && *item.data == '^';
		uint64_t bits;

		if (excludes)
			item = trim(nx_slice_of(item.data + 1, item.len - 1));
		bits = bits_of(item);
		if (!bits)
			return no_such_type(item, err);
		has_wanted |= !excludes;
		if (excludes)
			excluded |= bits;
		else
			wanted |= bits;
	}
	filter->types = (has_wanted ? wanted : nx_trace_filter_all_types()) & ~excluded;
	return NX_OK;
}
