/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/device/device.h"

#include <assert.h>
#include <pthread.h>

#include "runtime/device/device_core.h"

struct nx_device {
	pthread_mutex_t lock;
	struct nx_device_options options;
	struct nx_device_program program;
	struct nx_machine machine;
};

static enum nx_status check_program(struct nx_device *device, struct nx_error *err)
{
	const struct nx_device_options *options = &device->options;
	uint64_t limit =
		options->memory_limit_bytes ? options->memory_limit_bytes : NX_DEVICE_MEMORY_BYTES;

	if (options->arch && device->program.arch &&
	    nx_device_generation(options->arch) != nx_device_generation(device->program.arch))
		return nx_fail(
			err, NX_MISMATCH,
			"the NEFF was compiled for another architecture; compile it for this "
			"device");
	if (device->program.memory_bytes > limit)
		return nx_fail(err, NX_LIMIT,
			       "the NEFF asks for %llu bytes of device memory, the device has %llu",
			       (unsigned long long)device->program.memory_bytes,
			       (unsigned long long)limit);
	if (options->arch)
		device->program.arch = options->arch;
	return NX_OK;
}

static enum nx_status open_machine(struct nx_device *device, struct nx_error *err)
{
	struct nx_machine *machine = &device->machine;
	struct nx_device_program *program = &device->program;
	enum nx_status status = NX_OK;

	machine->program = program;
	machine->options = &device->options;
	machine->sbuf_partition_bytes = nx_device_sbuf_partition_bytes(program->arch);
	machine->tensors =
		NX_NEW_ARRAY(&program->arena, struct nx_device_memory, program->tensor_count);
	for (size_t i = 0; i < program->tensor_count && !status; i++) {
		status = nx_device_memory_open(&machine->tensors[i], program->tensors[i].size_bytes,
					       err);
		if (device->options.is_poisoned)
			nx_device_memory_poison(&machine->tensors[i]);
	}
	machine->cores = NX_NEW_ARRAY(&program->arena, struct nx_core, program->core_count);
	for (size_t i = 0; i < program->core_count && !status; i++) {
		status = nx_core_init(&machine->cores[i], machine, (unsigned)i, err);
		machine->core_count++;
	}
	return status;
}

enum nx_status nx_device_open(const struct nx_neff *neff, const struct nx_device_options *options,
			      struct nx_device **out, struct nx_error *err)
{
	struct nx_device *device = nx_heap_alloc(sizeof(*device));
	enum nx_status status;

	assert(neff && out);
	memset(device, 0, sizeof(*device));
	(void)pthread_mutex_init(&device->lock, NULL);
	if (options)
		device->options = *options;
	status = nx_device_program_init(&device->program, neff, err);
	if (!status)
		status = check_program(device, err);
	if (!status)
		status = open_machine(device, err);
	if (status) {
		nx_device_close(device);
		device = NULL;
	}
	*out = device;
	return status;
}

void nx_device_close(struct nx_device *device)
{
	if (!device)
		return;
	for (size_t i = 0; i < device->machine.core_count; i++)
		nx_core_release(&device->machine.cores[i]);
	for (size_t i = 0; device->machine.tensors && i < device->program.tensor_count; i++)
		nx_device_memory_release(&device->machine.tensors[i]);
	nx_device_program_release(&device->program);
	(void)pthread_mutex_destroy(&device->lock);
	nx_heap_free(device);
}

void nx_device_abandon(struct nx_device *device)
{
	(void)pthread_mutex_init(&device->lock, NULL);
}

const struct nx_device_program *nx_device_program_borrow(const struct nx_device *device)
{
	return &device->program;
}

const struct nx_device_tensor *nx_device_tensor_borrow(const struct nx_device *device, size_t index)
{
	return index < device->program.tensor_count ? &device->program.tensors[index] : NULL;
}

size_t nx_device_find(const struct nx_device *device, const char *name)
{
	for (size_t i = 0; i < device->program.tensor_count; i++)
		if (strcmp(device->program.tensors[i].name, name) == 0)
			return i;
	return NX_DEVICE_NO_TENSOR;
}

static enum nx_status find_bytes(const struct nx_device *device, size_t tensor, uint64_t offset,
				 size_t len, uint8_t **out, struct nx_error *err)
{
	const struct nx_device_memory *memory;

	if (tensor >= device->program.tensor_count)
		return nx_fail(err, NX_NOT_FOUND, "the model has no tensor %zu", tensor);
	memory = &device->machine.tensors[tensor];
	if (offset > memory->size_bytes || len > memory->size_bytes - offset)
		return nx_fail(err, NX_LIMIT, "tensor %s ends at byte %llu, before %llu + %zu",
			       device->program.tensors[tensor].name,
			       (unsigned long long)memory->size_bytes, (unsigned long long)offset,
			       len);
	*out = memory->bytes + offset;
	return NX_OK;
}

enum nx_status nx_device_write(struct nx_device *device, size_t tensor, uint64_t offset,
			       struct nx_slice bytes, struct nx_error *err)
{
	uint8_t *to = NULL;
	enum nx_status status = find_bytes(device, tensor, offset, bytes.len, &to, err);

	if (!to || bytes.len == 0)
		return status;
	(void)pthread_mutex_lock(&device->lock);
	memcpy(to, bytes.data, bytes.len);
	(void)pthread_mutex_unlock(&device->lock);
	return NX_OK;
}

enum nx_status nx_device_read(struct nx_device *device, size_t tensor, uint64_t offset, void *out,
			      size_t len, struct nx_error *err)
{
	uint8_t *from = NULL;
	enum nx_status status = find_bytes(device, tensor, offset, len, &from, err);

	if (!from || len == 0)
		return status;
	(void)pthread_mutex_lock(&device->lock);
	memcpy(out, from, len);
	(void)pthread_mutex_unlock(&device->lock);
	return NX_OK;
}

static void poison_outputs(struct nx_device *device)
{
	for (size_t i = 0; i < device->program.tensor_count; i++)
		if (device->program.tensors[i].kind == NX_DEVICE_OUTPUT)
			nx_device_memory_poison(&device->machine.tensors[i]);
}

static void reset_machine(struct nx_device *device)
{
	struct nx_machine *machine = &device->machine;

	machine->status = NX_OK;
	machine->has_lost_results = false;
	for (size_t i = 0; i < machine->core_count; i++)
		nx_core_reset(&machine->cores[i]);
	if (device->options.is_poisoned)
		poison_outputs(device);
}

enum nx_status nx_device_run(struct nx_device *device, struct nx_device_report *report,
			     struct nx_error *err)
{
	enum nx_status status;

	assert(device && report);
	memset(report, 0, sizeof(*report));
	(void)pthread_mutex_lock(&device->lock);
	device->machine.report = report;
	reset_machine(device);
	status = nx_schedule_run(&device->machine, err);
	if (device->machine.has_lost_results)
		poison_outputs(device);
	device->machine.report = NULL;
	(void)pthread_mutex_unlock(&device->lock);
	return status;
}
