/* SPDX-License-Identifier: Apache-2.0 */
/* Machines made of files: what the driver, the firmware and /proc would show below a folder. */
#include "cli/neuron_devices.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char root[64];

static int set_up(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "/tmp/neuron_devices_XXXXXX");
	unsetenv("NEURON_EXPLORER_INSTANCE");
	unsetenv("NEURON_LOGICAL_NC_CONFIG");
	unsetenv("NEURON_RT_VIRTUAL_CORE_SIZE");
	return mkdtemp(root) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command);
}

/* The path below the root; makes the folders on the way to it. */
static const char *place(const char *path)
{
	static char full[512];

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	return full;
}

static void put(const char *path, const char *text, size_t len)
{
	FILE *file = fopen(place(path), "we");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, len, file), len);
	fclose(file);
}

static void put_text(const char *path, const char *text)
{
	put(path, text, strlen(text));
}

static void put_process(unsigned pid, const char *device, const char *maps)
{
	char path[128];

	snprintf(path, sizeof(path), "/proc/%u/fd/7", pid);
	assert_int_equal(symlink(device, place(path)), 0);
	snprintf(path, sizeof(path), "/proc/%u/cmdline", pid);
	put(path, "python3\0train.py", sizeof("python3\0train.py"));
	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	put_text(path, maps);
}

static void a_trn2_with_one_device(void **state)
{
	struct nx_neuron_devices devices;
	const struct nx_neuron_device *device;

	(void)state;
	put_text("/dev/neuron0", "");
	put_text("/sys/class/dmi/id/product_name", "trn2.3xlarge\n");
	put_text("/sys/class/dmi/id/board_asset_tag", "i-0123456789abcdef0\n");
	put_text("/sys/class/neuron_device/neuron0/core_count", "8");
	put_text("/sys/class/neuron_device/neuron0/connected_devices", "\n");
	put_text("/sys/class/neuron_device/neuron0/info/architecture/device_name", "Trainium2\n");
	put_text("/sys/bus/pci/drivers/neuron-driver/0000:cc:00.0/local_cpulist", "0-5,12-17\n");
	put_text("/sys/bus/pci/drivers/neuron-driver/0000:cc:00.0/numa_node", "1\n");
	put_text("/sys/bus/pci/drivers/neuron-driver/bind", "");
	put_process(4711, "/dev/neuron0",
		    "7f00-7f01 r-xp 0 0:0 5 /opt/aws/neuron/lib/libnrt.so.2.31.24.0\n");
	put_process(12, "/dev/neuron0", "7f00-7f01 r-xp 0 0:0 5 /usr/lib/libc.so.6\n");
	put_process(13, "/dev/null", "");
	nx_neuron_devices_open(&devices, root);
	assert_false(devices.is_software);
	assert_true(devices.has_core_sizes);
	assert_int_equal(devices.core_size, 2);
	assert_string_equal(devices.instance_type, "trn2.3xlarge");
	assert_string_equal(devices.instance_id, "i-0123456789abcdef0");
	assert_int_equal(devices.len, 1);
	device = &devices.items[0];
	assert_int_equal(device->core_count, 4);
	assert_int_equal(device->memory_bytes, UINT64_C(96) << 30);
	assert_int_equal(device->links.len, 0);
	assert_string_equal(device->bdf, "cc:00.0");
	assert_string_equal(device->cpus, "0-5,12-17");
	assert_string_equal(device->numa_node, "1");
	assert_int_equal(device->processes.len, 2);
	assert_int_equal(device->processes.items[0].pid, 12);
	assert_null(device->processes.items[0].runtime);
	assert_int_equal(device->processes.items[1].pid, 4711);
	assert_string_equal(device->processes.items[1].command, "python3 train.py");
	assert_string_equal(device->processes.items[1].runtime, "2.31.24.0");
	nx_neuron_devices_release(&devices);
}

/* Root alone may read core_count and connected_devices; folders of cores are for all. */
static void some_devices_of_a_trn1_for_a_user(void **state)
{
	struct nx_neuron_devices devices;

	(void)state;
	put_text("/dev/neuron10", "");
	put_text("/dev/neuron3", "");
	put_text("/dev/neuron_fake", "");
	put_text("/sys/class/dmi/id/product_name", "trn1n.32xlarge\n");
	put_text("/sys/class/neuron_device/neuron3/neuron_core0/info", "");
	put_text("/sys/class/neuron_device/neuron3/neuron_core1/info", "");
	put_text("/sys/class/neuron_device/neuron3/connected_devices", "15, 2, 7, 0\n");
	put_text("/sys/bus/pci/drivers/neuron-driver/0000:10:1c.0/numa_node", "0\n");
	nx_neuron_devices_open(&devices, root);
	assert_int_equal(devices.len, 2);
	assert_false(devices.has_core_sizes);
	assert_int_equal(devices.items[0].idx, 3);
	assert_int_equal(devices.items[0].core_count, 2);
	assert_int_equal(devices.items[0].first_core, 6);
	assert_int_equal(devices.items[0].links.len, 4);
	assert_int_equal(devices.items[0].links.items[0], 15);
	assert_int_equal(devices.items[0].links.items[3], 0);
	assert_string_equal(devices.items[0].bdf, "");
	assert_int_equal(devices.items[1].idx, 10);
	assert_int_equal(devices.items[1].core_count, 2);
	assert_int_equal(devices.items[1].links.len, 0);
	assert_int_equal(devices.items[1].memory_bytes, UINT64_C(32) << 30);
	nx_neuron_devices_release(&devices);
}

static void an_unknown_device_has_no_numbers(void **state)
{
	struct nx_neuron_devices devices;

	(void)state;
	put_text("/dev/neuron0", "");
	nx_neuron_devices_open(&devices, root);
	assert_int_equal(devices.len, 1);
	assert_int_equal(devices.items[0].core_count, 0);
	assert_int_equal(devices.items[0].memory_bytes, 0);
	assert_string_equal(devices.instance_type, "");
	nx_neuron_devices_release(&devices);
}

static void processes_on_devices_in_software(void **state)
{
	struct nx_neuron_devices devices;

	(void)state;
	setenv("NEURON_EXPLORER_INSTANCE", "trn2.48xlarge", 1);
	put_process(4711, "/memfd:neuron-cores-8-23 (deleted)", "");
	put_process(12, "/memfd:neuron-cores-5-4 (deleted)", "");
	put_process(13, "/memfd:neuron-cores-0-4000000000 (deleted)", "");
	nx_neuron_devices_open(&devices, root);
	assert_true(devices.is_software);
	assert_int_equal(devices.len, 16);
	assert_int_equal(devices.items[0].processes.len, 1);
	assert_int_equal(devices.items[1].processes.len, 2);
	assert_int_equal(devices.items[1].processes.items[0].pid, 13);
	assert_int_equal(devices.items[1].processes.items[1].pid, 4711);
	assert_int_equal(devices.items[2].processes.len, 2);
	assert_int_equal(devices.items[3].processes.len, 1);
	nx_neuron_devices_release(&devices);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_trn2_with_one_device, set_up, tear_down),
		cmocka_unit_test_setup_teardown(some_devices_of_a_trn1_for_a_user, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(an_unknown_device_has_no_numbers, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(processes_on_devices_in_software, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
