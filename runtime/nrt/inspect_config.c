/* SPDX-License-Identifier: Apache-2.0 */
/* inspect_config: the settings of a session, from the host or the environment. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "runtime/nrt/environment.h"
#include "runtime/nrt/inspect.h"
#include "runtime/nrt/nrt_log.h"
#include "runtime/nrt/nrt_state.h"
#include "runtime/nrt/symbol_version.h"

static const struct {
	const char *name;
	unsigned bit;
} activities[] = {
	{"system_profile", NX_INSPECT_SYSTEM},
	{"device_profile", NX_INSPECT_DEVICE},
	{"host_memory", NX_INSPECT_HOST_MEMORY},
	{"cpu_util", NX_INSPECT_CPU},
	{"all", NX_INSPECT_ALL},
};

#define ACTIVITIES (sizeof(activities) / sizeof(activities[0]))
static_assert((NX_INSPECT_SYSTEM | NX_INSPECT_DEVICE | NX_INSPECT_HOST_MEMORY | NX_INSPECT_CPU) ==
		      NX_INSPECT_ALL,
	      "all activities");

void nx_inspect_config_reset(struct nrt_inspect_config *config)
{
	memset(config, 0, sizeof(*config));
	config->session_id = 1;
	snprintf(config->output_dir, sizeof(config->output_dir), "./output");
	config->activities = NX_INSPECT_ALL;
	nx_trace_filter_set_all(&config->filter);
	config->max_events = NX_TRACE_DEFAULT_EVENTS;
}

/* --- environment ------------------------------------------------------------------------- */

static void set_activity(struct nrt_inspect_config *config, unsigned bit, bool is_on)
{
	config->activities = is_on ? config->activities | bit : config->activities & ~bit;
}

static void read_device_profile(struct nrt_inspect_config *config)
{
	static const char *const modes[] = {"0", "false", "1", "true", "model", "session"};
	const char *text = getenv("NEURON_RT_INSPECT_DEVICE_PROFILE");
	size_t mode = 0, count = sizeof(modes) / sizeof(modes[0]);

	while (text && *text && mode < count && strcmp(text, modes[mode]) != 0)
		mode++;
	if (mode == count) {
		nx_log_error(
			"environment",
			"NEURON_RT_INSPECT_DEVICE_PROFILE=%.40s is not 0, 1, model or session; "
			"did you mean %s? Using 0",
			text,
			strchr("mM", *text)		      ? "model"
			: strchr("sS", *text)		      ? "session"
			: nx_environment_nearest_switch(text) ? "1"
							      : "0");
		mode = 0;
	}
	set_activity(config, NX_INSPECT_DEVICE, mode >= 2);
	config->is_whole_session = mode == 5;
}

static void read_filters(struct nrt_inspect_config *config)
{
	const char *cores = getenv("NEURON_RT_INSPECT_EVENT_FILTER_NC");
	const char *types = getenv("NEURON_RT_INSPECT_EVENT_FILTER_TYPE");
	struct nx_error err;

	if (cores && *cores && nx_trace_filter_parse_cores(&config->filter, cores, &err))
		nx_log_error("environment",
			     "NEURON_RT_INSPECT_EVENT_FILTER_NC: %s; all cores are captured",
			     err.message);
	if (types && *types && nx_trace_filter_parse_types(&config->filter, types, &err))
		nx_log_error("environment",
			     "NEURON_RT_INSPECT_EVENT_FILTER_TYPE: %s; all events are captured",
			     err.message);
}

/* "NEURON_RT_...=99", or what else chose a filter. */
static const char *origin_of(const char *variable, const char *other, char *out, size_t cap)
{
	const char *text = getenv(variable);

	snprintf(out, cap, "%s%s%.60s", text && *text ? variable : other, text && *text ? "=" : "",
		 text && *text ? text : "");
	return out;
}

void nx_inspect_filter_check(const char *call, const struct nx_trace_filter *filter)
{
	uint32_t count = nx_state_instance()->visible_count, core = 0;
	char origin[120];

	while (core < count && !nx_trace_filter_has_core(filter, core))
		core++;
	if (core == count)
		nx_log_warn(
			call,
			"%s has none of this process's cores (%u, numbered from 0), so no event "
			"will be captured",
			origin_of("NEURON_RT_INSPECT_EVENT_FILTER_NC", "the filter of cores",
				  origin, sizeof(origin)),
			count);
	else if (!(filter->types & nx_trace_filter_all_types()))
		nx_log_warn(call, "%s excludes all events, so none will be captured",
			    origin_of("NEURON_RT_INSPECT_EVENT_FILTER_TYPE", "the filter of events",
				      origin, sizeof(origin)));
}

static void read_output_dir(struct nrt_inspect_config *config)
{
	const char *text = getenv("NEURON_RT_INSPECT_OUTPUT_DIR");

	if (!text || !*text)
		return;
	if (strlen(text) < sizeof(config->output_dir))
		snprintf(config->output_dir, sizeof(config->output_dir), "%s", text);
	else
		nx_log_error("environment",
			     "NEURON_RT_INSPECT_OUTPUT_DIR has more than %zu bytes; using %s",
			     sizeof(config->output_dir) - 1, config->output_dir);
}

void nx_inspect_config_read(struct nrt_inspect_config *config)
{
	nx_inspect_config_reset(config);
	config->is_on = nx_environment_switch("NEURON_RT_INSPECT_ENABLE", false);
	config->is_on_fail = nx_environment_switch("NEURON_RT_INSPECT_ON_FAIL", false);
	set_activity(config, NX_INSPECT_SYSTEM,
		     nx_environment_switch("NEURON_RT_INSPECT_SYSTEM_PROFILE", true));
	set_activity(config, NX_INSPECT_CPU,
		     nx_environment_switch("NEURON_RT_INSPECT_CPU_UTIL", true));
	set_activity(config, NX_INSPECT_HOST_MEMORY,
		     nx_environment_switch("NEURON_RT_INSPECT_HOST_MEMORY", true));
	if (nx_environment_switch("NEURON_RT_INSPECT_PRECACHE_ENABLE", false))
		nx_log_info("environment",
			    "NEURON_RT_INSPECT_PRECACHE_ENABLE: ignored; there is no graph cache "
			    "here, every execution is captured as it is");
	read_device_profile(config);
	config->max_events = nx_environment_number("NEURON_RT_INSPECT_SYS_TRACE_MAX_EVENTS_PER_NC",
						   1, UINT64_MAX, config->max_events);
	read_filters(config);
	read_output_dir(config);
}

/* --- calls --------------------------------------------------------------------------------- */

NX_EXPORT NRT_STATUS nrt_inspect_config_allocate(nrt_inspect_config_t **options)
{
	if (!options)
		return NRT_INVALID;
	*options = nx_heap_try_alloc(sizeof(**options));
	if (!*options)
		return NRT_RESOURCE;
	nx_inspect_config_reset(*options);
	return NRT_SUCCESS;
}

NX_EXPORT NRT_STATUS nrt_inspect_config_set_defaults(nrt_inspect_config_t *options)
{
	if (!options)
		return NRT_INVALID;
	nx_inspect_config_reset(options);
	return NRT_SUCCESS;
}

NX_EXPORT NRT_STATUS nrt_inspect_config_free(nrt_inspect_config_t *options)
{
	if (!options)
		return NRT_INVALID;
	nx_heap_free(options);
	return NRT_SUCCESS;
}

NX_EXPORT NRT_STATUS nrt_inspect_config_set_session_id(nrt_inspect_config_t *options,
						       int session_id)
{
	if (!options || session_id < 0)
		return NRT_INVALID;
	options->session_id = session_id;
	return NRT_SUCCESS;
}

NX_EXPORT NRT_STATUS nrt_inspect_config_set_output_dir(nrt_inspect_config_t *options,
						       const char *output_dir)
{
	if (!options || !output_dir || !*output_dir ||
	    strlen(output_dir) >= sizeof(options->output_dir))
		return NRT_INVALID;
	snprintf(options->output_dir, sizeof(options->output_dir), "%s", output_dir);
	return NRT_SUCCESS;
}

NX_EXPORT NRT_STATUS nrt_inspect_config_set_sys_trace_max_events_per_nc(
	nrt_inspect_config_t *options, uint64_t sys_trace_max_events_per_nc)
{
	if (!options || !sys_trace_max_events_per_nc)
		return NRT_INVALID;
	options->max_events = sys_trace_max_events_per_nc;
	return NRT_SUCCESS;
}

NX_EXPORT NRT_STATUS nrt_inspect_config_set_capture_enabled_for_nc(nrt_inspect_config_t *options,
								   uint32_t nc_idx, bool enabled)
{
	if (!options || !nx_trace_filter_set_core(&options->filter, nc_idx, enabled))
		return NRT_INVALID;
	return NRT_SUCCESS;
}

NX_EXPORT NRT_STATUS nrt_inspect_config_set_capture_enabled_for_event_type_string(
	nrt_inspect_config_t *options, const char *event_type, bool enabled)
{
	struct nx_error err = {0};

	if (!options || !event_type)
		return NRT_INVALID;
	return nx_trace_filter_set_type(&options->filter, event_type, enabled, &err)
		       ? nx_state_fail(__func__, &err)
		       : NRT_SUCCESS;
}

NX_EXPORT NRT_STATUS nrt_inspect_config_set_enable_inspect(nrt_inspect_config_t *options,
							   bool enable_inspect)
{
	if (!options)
		return NRT_INVALID;
	options->is_on = enable_inspect;
	return NRT_SUCCESS;
}

NX_EXPORT NRT_STATUS nrt_inspect_config_set_enable_inspect_on_fail(nrt_inspect_config_t *options,
								   bool enable_inspect_on_fail)
{
	if (!options)
		return NRT_INVALID;
	options->is_on_fail = enable_inspect_on_fail;
	return NRT_SUCCESS;
}

NX_EXPORT NRT_STATUS nrt_inspect_config_set_inspect_device_profile_mode(
	nrt_inspect_config_t *options, nrt_inspect_device_profile_mode_t mode)
{
	if (!options || (unsigned)mode > NRT_INSPECT_DEVICE_PROFILE_MODE_SESSION)
		return NRT_INVALID;
	options->is_device_off = mode == NRT_INSPECT_DEVICE_PROFILE_MODE_DISABLED;
	options->is_whole_session = mode == NRT_INSPECT_DEVICE_PROFILE_MODE_SESSION;
	return NRT_SUCCESS;
}

NX_NRT_EITHER(nx_inspect_set_warmup, nrt_inspect_config_set_device_profile_num_warmup);
NRT_STATUS nx_inspect_set_warmup(nrt_inspect_config_t *options, uint64_t num_warmup)
{
	if (!options)
		return NRT_INVALID;
	options->warmup_count = num_warmup;
	return NRT_SUCCESS;
}

NX_EXPORT NRT_STATUS nrt_inspect_config_set_activity(nrt_inspect_config_t *options,
						     const char *activity_type, bool enabled)
{
	for (size_t i = 0; options && activity_type && i < ACTIVITIES; i++)
		if (strcmp(activities[i].name, activity_type) == 0) {
			set_activity(options, activities[i].bit, enabled);
			return NRT_SUCCESS;
		}
	return NRT_INVALID;
}

NX_EXPORT NRT_STATUS nrt_inspect_config_get_all_activity_types(const char ***activity_types,
							       size_t *count)
{
	const char *names[ACTIVITIES];

	for (size_t i = 0; i < ACTIVITIES; i++)
		names[i] = activities[i].name;
	return nx_text_list_new(names, ACTIVITIES, activity_types, count);
}

NX_EXPORT NRT_STATUS nrt_inspect_config_get_enabled_activity_types(nrt_inspect_config_t *options,
								   const char ***activity_types,
								   size_t *count)
{
	const char *names[ACTIVITIES];
	size_t enabled_count = 0;

	if (!options)
		return NRT_INVALID;
	for (size_t i = 0; i < ACTIVITIES; i++)
		if ((options->activities & activities[i].bit) == activities[i].bit &&
		    activities[i].bit != NX_INSPECT_ALL)
			names[enabled_count++] = activities[i].name;
	return nx_text_list_new(names, enabled_count, activity_types, count);
}

NX_EXPORT void nrt_inspect_config_free_activity_types(const char **activity_types, size_t count)
{
	nx_text_list_free(activity_types, count);
}
