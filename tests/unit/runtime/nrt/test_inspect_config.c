/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/nrt/environment.h"
#include "runtime/nrt/inspect.h"
#include "runtime/nrt/instance.h"
#include "runtime/nrt/interned.h"
#include "runtime/nrt/nrt_log.h"

static void unset_all(void)
{
	static const char *const names[] = {
		"NEURON_RT_INSPECT_ENABLE",
		"NEURON_RT_INSPECT_OUTPUT_DIR",
		"NEURON_RT_INSPECT_SYSTEM_PROFILE",
		"NEURON_RT_INSPECT_DEVICE_PROFILE",
		"NEURON_RT_INSPECT_CPU_UTIL",
		"NEURON_RT_INSPECT_HOST_MEMORY",
		"NEURON_RT_INSPECT_ON_FAIL",
		"NEURON_RT_INSPECT_PRECACHE_ENABLE",
		"NEURON_RT_ENABLE_DGE_NOTIFICATIONS",
		"NEURON_SIM",
		"NEURON_SIM_STRICT",
		"NEURON_RT_INSPECT_EVENT_FILTER_NC",
		"NEURON_RT_INSPECT_EVENT_FILTER_TYPE",
		"NEURON_RT_INSPECT_SYS_TRACE_MAX_EVENTS_PER_NC",
		"NEURON_EXPLORER_INSTANCE",
		"NEURON_RT_NUM_CORES",
		"NEURON_RT_VISIBLE_CORES",
		"NEURON_RT_VIRTUAL_CORE_SIZE",
		"NEURON_LOGICAL_NC_CONFIG",
		"NEURON_INSTANCE_ID",
	};

	setenv("NEURON_RT_LOG_LEVEL", "OFF", 1);
	nx_log_restart();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unsetenv(names[i]);
}

static struct nrt_inspect_config read_with(const char *name, const char *value)
{
	struct nrt_inspect_config config;

	unset_all();
	if (name)
		setenv(name, value, 1);
	nx_inspect_config_read(&config);
	return config;
}

static void without_variables_nothing_is_captured(void **state)
{
	struct nrt_inspect_config config = read_with(NULL, NULL);

	(void)state;
	assert_false(config.is_on);
	assert_false(config.is_on_fail);
	assert_string_equal(config.output_dir, "./output");
	assert_int_equal(config.activities,
			 NX_INSPECT_SYSTEM | NX_INSPECT_CPU | NX_INSPECT_HOST_MEMORY);
	assert_int_equal(config.max_events, 1000000);
	assert_int_equal(config.session_id, 1);
	assert_true(nx_trace_filter_has_core(&config.filter, 127));
}

static void variables_are_read(void **state)
{
	(void)state;
	assert_true(read_with("NEURON_RT_INSPECT_ENABLE", "1").is_on);
	assert_false(read_with("NEURON_RT_INSPECT_ENABLE", "0").is_on);
	assert_true(read_with("NEURON_RT_INSPECT_ON_FAIL", "1").is_on_fail);
	assert_string_equal(read_with("NEURON_RT_INSPECT_OUTPUT_DIR", "/a/b").output_dir, "/a/b");
	assert_false(read_with("NEURON_RT_INSPECT_SYSTEM_PROFILE", "0").activities &
		     NX_INSPECT_SYSTEM);
	assert_false(read_with("NEURON_RT_INSPECT_CPU_UTIL", "0").activities & NX_INSPECT_CPU);
	assert_false(read_with("NEURON_RT_INSPECT_HOST_MEMORY", "0").activities &
		     NX_INSPECT_HOST_MEMORY);
	assert_int_equal(
		read_with("NEURON_RT_INSPECT_SYS_TRACE_MAX_EVENTS_PER_NC", "77").max_events, 77);
	assert_int_equal(read_with("NEURON_RT_INSPECT_EVENT_FILTER_NC", "0-3").filter.cores[0], 15);
	assert_int_equal(read_with("NEURON_RT_INSPECT_EVENT_FILTER_TYPE", "nrt_load").filter.types,
			 2);
}

static void device_profiles_have_modes(void **state)
{
	struct nrt_inspect_config config = read_with("NEURON_RT_INSPECT_DEVICE_PROFILE", "1");

	(void)state;
	assert_true(config.activities & NX_INSPECT_DEVICE);
	assert_false(config.is_whole_session);
	assert_true(read_with("NEURON_RT_INSPECT_DEVICE_PROFILE", "model").activities &
		    NX_INSPECT_DEVICE);
	config = read_with("NEURON_RT_INSPECT_DEVICE_PROFILE", "session");
	assert_true(config.activities & NX_INSPECT_DEVICE);
	assert_true(config.is_whole_session);
	assert_false(read_with("NEURON_RT_INSPECT_DEVICE_PROFILE", "0").activities &
		     NX_INSPECT_DEVICE);
	assert_false(read_with("NEURON_RT_INSPECT_DEVICE_PROFILE", "modle").activities &
		     NX_INSPECT_DEVICE);
}

static void wrong_values_leave_the_defaults(void **state)
{
	static char longest[2000];

	(void)state;
	assert_false(read_with("NEURON_RT_INSPECT_ENABLE", "maybe").is_on);
	assert_int_equal(
		read_with("NEURON_RT_INSPECT_SYS_TRACE_MAX_EVENTS_PER_NC", "many").max_events,
		1000000);
	assert_int_equal(read_with("NEURON_RT_INSPECT_SYS_TRACE_MAX_EVENTS_PER_NC", "0").max_events,
			 1000000);
	assert_int_equal(read_with("NEURON_RT_INSPECT_EVENT_FILTER_NC", "4-1").filter.cores[0],
			 UINT64_MAX);
	assert_int_equal(read_with("NEURON_RT_INSPECT_EVENT_FILTER_TYPE", "x").filter.types,
			 (UINT64_C(1) << 40) - 1);
	memset(longest, 'd', sizeof(longest) - 1);
	assert_string_equal(read_with("NEURON_RT_INSPECT_OUTPUT_DIR", longest).output_dir,
			    "./output");
}

/* --- what the log says of wrong values ------------------------------------------------- */

static char told[4096];

/* Standard error into a file while the variables are read. */
static const char *log_of(const char *name, const char *value)
{
	FILE *file = tmpfile();
	int old = dup(STDERR_FILENO);
	struct nrt_inspect_config config;
	struct nx_simulation_settings settings;
	struct nx_instance instance;
	size_t len;

	assert_non_null(file);
	unset_all();
	setenv(name, value, 1);
	setenv("NEURON_RT_LOG_LEVEL", "ERROR", 1);
	nx_log_restart();
	dup2(fileno(file), STDERR_FILENO);
	nx_inspect_config_read(&config);
	nx_instance_read(&instance);
	nx_simulation_settings_read(&settings);
	dup2(old, STDERR_FILENO);
	close(old);
	rewind(file);
	len = fread(told, 1, sizeof(told) - 1, file);
	told[len] = '\0';
	fclose(file);
	return told;
}

static const struct {
	const char *name, *value;
	const char *sentence; /* NULL: the value is right and nothing is said */
} values[] = {
	{"NEURON_RT_INSPECT_ENABLE", "yes", "=yes is not 0 or 1; did you mean 1? Using 0"},
	{"NEURON_RT_INSPECT_ENABLE", "on", "=on is not 0 or 1; did you mean 1? Using 0"},
	{"NEURON_RT_INSPECT_ENABLE", "2", "=2 is not 0 or 1; did you mean 1? Using 0"},
	{"NEURON_RT_INSPECT_ENABLE", "off", "=off is not 0 or 1; did you mean 0? Using 0"},
	{"NEURON_RT_INSPECT_ENABLE", "1", NULL},
	{"NEURON_RT_INSPECT_ENABLE", "", NULL},
	{"NEURON_RT_INSPECT_SYSTEM_PROFILE", "no", "=no is not 0 or 1; did you mean 0? Using 1"},
	{"NEURON_RT_INSPECT_CPU_UTIL", "x", "=x is not 0 or 1; did you mean 0? Using 1"},
	{"NEURON_RT_INSPECT_HOST_MEMORY", "True", "=True is not 0 or 1; did you mean 1? Using 1"},
	{"NEURON_RT_INSPECT_ON_FAIL", "-1", "=-1 is not 0 or 1; did you mean 0? Using 0"},
	{"NEURON_RT_INSPECT_PRECACHE_ENABLE", "Y", "=Y is not 0 or 1; did you mean 1? Using 0"},
	{"NEURON_RT_ENABLE_DGE_NOTIFICATIONS", "enable",
	 "=enable is not 0 or 1; did you mean 1? Using 0"},
	{"NEURON_SIM_STRICT", "2", "=2 is not a number from 0 to 1; using 0"},
	{"NEURON_SIM", "timming", "did you mean timing? Using both"},
	{"NEURON_SIM", "xyz", "=xyz is not a known value: both, numeric or timing. Using both"},
	{"NEURON_RT_ENABLE_DGE_NOTIFICATIONS", "1", NULL},
	{"NEURON_RT_INSPECT_DEVICE_PROFILE", "modle",
	 "=modle is not 0, 1, model or session; did you mean model? Using 0"},
	{"NEURON_RT_INSPECT_DEVICE_PROFILE", "Session",
	 "=Session is not 0, 1, model or session; did you mean session? Using 0"},
	{"NEURON_RT_INSPECT_DEVICE_PROFILE", "yes",
	 "=yes is not 0, 1, model or session; did you mean 1? Using 0"},
	{"NEURON_RT_INSPECT_DEVICE_PROFILE", "session", NULL},
	{"NEURON_RT_INSPECT_DEVICE_PROFILE", "true", NULL},
	{"NEURON_RT_INSPECT_SYS_TRACE_MAX_EVENTS_PER_NC", "1e6",
	 "=1e6 is not a number from 1 to 18446744073709551615; using 1000000"},
	{"NEURON_RT_INSPECT_SYS_TRACE_MAX_EVENTS_PER_NC", "-5", "is not a number from 1"},
	{"NEURON_RT_INSPECT_SYS_TRACE_MAX_EVENTS_PER_NC", "99999999999999999999",
	 "is not a number from 1"},
	{"NEURON_RT_INSPECT_EVENT_FILTER_NC", "3-0",
	 "EVENT_FILTER_NC: the range of cores \"3-0\" runs backwards; did you mean \"0-3\"?; all "
	 "cores are captured"},
	{"NEURON_RT_INSPECT_EVENT_FILTER_NC", "0;1", "\"0;1\" is not a core; write numbers"},
	{"NEURON_RT_INSPECT_EVENT_FILTER_NC", "128", "the highest core number is 127"},
	{"NEURON_RT_INSPECT_EVENT_FILTER_TYPE", "hardwear",
	 "there is no event type \"hardwear\"; did you mean \"hardware\"?; all events are "
	 "captured"},
	{"NEURON_RT_INSPECT_EVENT_FILTER_TYPE", "hardware,^cc_exce",
	 "there is no event type \"cc_exce\"; did you mean \"cc_exec\"?"},
	{"NEURON_RT_INSPECT_EVENT_FILTER_TYPE", "nrt_execute,", "has an empty item"},
	{"NEURON_RT_VISIBLE_CORES", "2-", "\"2-\" is not a core; write numbers"},
	{"NEURON_RT_VISIBLE_CORES", "3-1", "did you mean \"1-3\"?; using all cores"},
	{"NEURON_RT_VISIBLE_CORES", "7", "=7 names none of the cores 0 to 3; using all of them"},
	{"NEURON_RT_VISIBLE_CORES", "7", "a logical core of two physical ones"},
	{"NEURON_RT_VISIBLE_CORES", "0-7", "=0-7 names 4 cores after the last one, 3; using the"},
	{"NEURON_RT_VISIBLE_CORES", "0,2", NULL},
	{"NEURON_RT_NUM_CORES", "5", "=5 is not a number from 1 to 4; using 4"},
	{"NEURON_RT_NUM_CORES", "0", "=0 is not a number from 1 to 4; using 4"},
	{"NEURON_RT_VIRTUAL_CORE_SIZE", "4", "=4 is not a number from 1 to 2; using 2"},
	{"NEURON_LOGICAL_NC_CONFIG", "two", "=two is not a number from 1 to 2; using 2"},
	{"NEURON_INSTANCE_ID", "a/b", "=a/b cannot be part of a folder name"},
};

static void wrong_values_are_told_with_what_was_meant(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		const char *log = log_of(values[i].name, values[i].value);

		if (!values[i].sentence && *log)
			fail_msg("%s=%s: %s", values[i].name, values[i].value, log);
		if (values[i].sentence &&
		    (!strstr(log, values[i].sentence) || !strstr(log, values[i].name)))
			fail_msg("%s=%s: \"%s\"", values[i].name, values[i].value, log);
	}
}

static struct nx_instance instance_with(const char *name, const char *value)
{
	struct nx_instance instance;

	unset_all();
	if (name)
		setenv(name, value, 1);
	nx_instance_read(&instance);
	return instance;
}

static void cores_are_counted_as_variables_say(void **state)
{
	struct nx_instance instance = instance_with(NULL, NULL);

	(void)state;
	assert_int_equal(instance.core_size, 2);
	assert_int_equal(instance.total_count, 4);
	assert_int_equal(instance.visible_count, 4);
	assert_int_equal(instance_with("NEURON_RT_VIRTUAL_CORE_SIZE", "1").total_count, 8);
	assert_int_equal(instance_with("NEURON_LOGICAL_NC_CONFIG", "1").total_count, 8);
	assert_int_equal(instance_with("NEURON_RT_VIRTUAL_CORE_SIZE", "3").total_count, 4);
	assert_int_equal(instance_with("NEURON_RT_NUM_CORES", "2").visible_count, 2);
	assert_int_equal(instance_with("NEURON_RT_NUM_CORES", "99").visible_count, 4);
	instance = instance_with("NEURON_RT_VISIBLE_CORES", "2-3");
	assert_int_equal(instance.visible_count, 2);
	assert_int_equal(instance.visible[0], 2);
	assert_int_equal(nx_instance_physical_core(&instance, 1), 6);
	assert_int_equal(nx_instance_hbm(&instance, 1), 3);
	instance = instance_with("NEURON_RT_VISIBLE_CORES", "1,3-9");
	assert_int_equal(instance.visible_count, 2);
	assert_int_equal(nx_instance_physical_core(&instance, 0), 2);
	assert_int_equal(nx_instance_physical_core(&instance, 1), 6);
	assert_int_equal(instance_with("NEURON_RT_VISIBLE_CORES", "50").visible_count, 4);
	assert_int_equal(instance_with("NEURON_RT_VISIBLE_CORES", "3-1").visible_count, 4);
}

static void an_instance_can_be_chosen(void **state)
{
	struct nx_instance instance = instance_with(NULL, NULL);

	(void)state;
	assert_string_equal(instance.kind->type, "trn2.3xlarge");
	assert_int_equal(nx_instance_memory_bytes(&instance), UINT64_C(24) << 30);
	instance = instance_with("NEURON_EXPLORER_INSTANCE", "trn2.48xlarge");
	assert_int_equal(instance.total_count, 64);
	assert_int_equal(nx_instance_device(&instance, 63), 15);
	assert_int_equal(nx_instance_physical_core(&instance, 63), 6);
	assert_int_equal(nx_instance_hbm(&instance, 63), 3);
	instance = instance_with("NEURON_EXPLORER_INSTANCE", "inf2.48xlarge");
	assert_int_equal(instance.core_size, 1);
	assert_int_equal(instance.total_count, 24);
	assert_int_equal(nx_device_generation(instance.kind->arch), NX_ARCH_V2);
	assert_int_equal(nx_instance_memory_bytes(&instance), UINT64_C(16) << 30);
	assert_int_equal(nx_instance_device(&instance, 23), 11);
	assert_int_equal(nx_instance_hbm(&instance, 23), 1);
	assert_int_equal(instance_with("NEURON_EXPLORER_INSTANCE", "trn1.2xlarge").total_count, 2);
	assert_int_equal(instance_with("NEURON_EXPLORER_INSTANCE", "trn1.32xlarge").total_count,
			 32);
	assert_int_equal(instance_with("NEURON_EXPLORER_INSTANCE", "inf2.xlarge").total_count, 2);
	instance = instance_with("NEURON_EXPLORER_INSTANCE", "trn9.mega");
	assert_string_equal(instance.kind->type, "trn2.3xlarge");
}

static void programs_find_an_instance_of_their_own(void **state)
{
	const struct nx_instance_kind *trn2 = nx_instance_kind_of(NX_DEVICE_TRN2);
	const struct nx_instance_kind *trn1 = nx_instance_kind_of(NX_DEVICE_TRN1);

	(void)state;
	assert_string_equal(trn1->type, "trn1.2xlarge");
	assert_ptr_equal(nx_instance_kind_of(NX_DEVICE_ANY), trn2);
	assert_null(nx_instance_kind_of(NX_DEVICE_TRN3));
	assert_true(nx_instance_runs(trn1, NX_DEVICE_INF2));
	assert_true(nx_instance_runs(trn1, NX_DEVICE_ANY));
	assert_false(nx_instance_runs(trn1, NX_DEVICE_TRN2));
	assert_false(nx_instance_runs(trn2, NX_DEVICE_TRN1));
	assert_false(nx_instance_runs(trn2, NX_DEVICE_TRN3));
}

static void addresses_tell_their_memory(void **state)
{
	(void)state;
	for (uint32_t hbm = 0; hbm < 4; hbm++) {
		uint64_t address = nx_instance_address(hbm, 4096);

		assert_int_equal(2 * (address >> 47 & 1) + (address >> 38 & 1), hbm);
	}
}

static void an_instance_has_a_stable_id(void **state)
{
	struct nx_instance first = instance_with(NULL, NULL), second = instance_with(NULL, NULL);

	(void)state;
	assert_string_equal(first.instance_id, second.instance_id);
	assert_memory_equal(first.instance_id, "i-", 2);
	assert_string_equal(instance_with("NEURON_INSTANCE_ID", "i-0abc").instance_id, "i-0abc");
	/* It becomes the name of a folder. */
	assert_string_equal(instance_with("NEURON_INSTANCE_ID", "../x").instance_id,
			    first.instance_id);
	assert_string_equal(instance_with("NEURON_INSTANCE_ID", "").instance_id, first.instance_id);
}

static void texts_are_listed_once(void **state)
{
	struct nx_ntrace_text texts[8];
	size_t before = nx_interned_count();

	(void)state;
	assert_int_equal(nx_interned_id("abc"), 528815857739038);
	assert_int_equal(nx_interned_id("abc"), 528815857739038);
	assert_int_equal(nx_interned_id("file.neff"), 605291374318702);
	assert_int_equal(nx_interned_count(), before + 2);
	assert_int_equal(nx_interned_list(texts, 8), before + 2);
	assert_true(nx_slice_is(texts[before + 1].text, "file.neff"));
	assert_int_equal(nx_interned_list(texts, 1), 1);
	/* unknown is known by everyone */
	assert_int_equal(nx_interned_id(NULL), 202982732869795);
	assert_int_equal(nx_interned_id(""), 202982732869795);
	assert_int_equal(nx_interned_count(), before + 2);
}

static void levels_of_the_log_are_parsed(void **state)
{
	(void)state;
	assert_int_equal(nx_log_parse(NULL), NX_LOG_WARN);
	assert_int_equal(nx_log_parse("ERROR"), NX_LOG_ERROR);
	assert_int_equal(nx_log_parse("info"), NX_LOG_INFO);
	assert_int_equal(nx_log_parse("TRACE"), NX_LOG_DEBUG);
	assert_int_equal(nx_log_parse("OFF"), NX_LOG_OFF);
	assert_int_equal(nx_log_parse("loud"), NX_LOG_WARN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_variables_nothing_is_captured),
		cmocka_unit_test(variables_are_read),
		cmocka_unit_test(device_profiles_have_modes),
		cmocka_unit_test(wrong_values_leave_the_defaults),
		cmocka_unit_test(wrong_values_are_told_with_what_was_meant),
		cmocka_unit_test(cores_are_counted_as_variables_say),
		cmocka_unit_test(an_instance_can_be_chosen),
		cmocka_unit_test(programs_find_an_instance_of_their_own),
		cmocka_unit_test(addresses_tell_their_memory),
		cmocka_unit_test(an_instance_has_a_stable_id),
		cmocka_unit_test(texts_are_listed_once),
		cmocka_unit_test(levels_of_the_log_are_parsed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
