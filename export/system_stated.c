/* SPDX-License-Identifier: Apache-2.0 */
#include "export/system_stated.h"

#include "base/number.h"
#include "export/exporters.h"

void nx_json_key_digits(struct nx_json_writer *w, const char *key, uint64_t number)
{
	char digits[NX_NUMBER_MAX];

	nx_json_key(w, key);
	nx_json_slice(w, nx_slice_of(digits, nx_format_u64(digits, number)));
}

static void key_known_text(struct nx_json_writer *w, const char *key, const char *text)
{
	if (text)
		nx_json_key_text(w, key, text);
}

/* One element: readers of AWS's export expect a list. */
static void write_metadata(struct nx_json_writer *w, const struct nx_system_profile *p)
{
	nx_json_begin_array(w);
	nx_json_begin_object(w);
	nx_json_key_digits(w, "first_ts_ns", p->first_ns);
	nx_json_key_digits(w, "last_ts_ns", p->last_ns);
	nx_json_key_text(w, "profiler_version", NX_PRODUCT_VERSION);
	nx_json_end_object(w);
	nx_json_end_array(w);
}

static void write_workers(struct nx_json_writer *w, const struct nx_system_process *p)
{
	nx_json_begin_array(w);
	for (size_t i = 0; i < p->worker_count; i++) {
		nx_json_begin_object(w);
		nx_json_key(w, "lnc_idx");
		nx_json_i64(w, p->workers[i].nc_idx);
		if (p->workers[i].worker_gid != UINT32_MAX)
			nx_json_key_u64(w, "worker_gid", p->workers[i].worker_gid);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

static void write_process(struct nx_json_writer *w, const struct nx_system_process *p,
			  bool include_private)
{
	nx_json_begin_object(w);
	nx_json_key_u64(w, "arch", p->arch);
	nx_json_key_digits(w, "close_ts_ns", p->close_ns);
	nx_json_key_u64(w, "cpu_count", p->cpu_count);
	key_known_text(w, "folder", p->folder);
	nx_json_key_digits(w, "init_ts_ns", p->init_ns);
	if (include_private) {
		key_known_text(w, "instance_hostname", p->instance_hostname);
		key_known_text(w, "instance_ip", p->instance_ip);
	}
	nx_json_key_text(w, "instance_id", p->instance_id);
	key_known_text(w, "instance_type", p->instance_type);
	nx_json_key_u64(w, "logical_nc_size", p->logical_nc_size);
	nx_json_key_u64(w, "memory_capacity", p->memory_capacity_bytes);
	nx_json_key_digits(w, "process_id", p->pid);
	nx_json_key_u64(w, "stored_event_count", p->stored_event_count);
	nx_json_key_u64(w, "total_event_count", p->total_event_count);
	nx_json_key(w, "workers");
	write_workers(w, p);
	nx_json_end_object(w);
}

static void write_device(struct nx_json_writer *w, const struct nx_system_profile *p,
			 const struct nx_device_capture *d)
{
	nx_json_begin_object(w);
	if (d->process < p->process_count) {
		nx_json_key_text(w, "instance_id", p->processes[d->process].instance_id);
		nx_json_key_digits(w, "process_id", p->processes[d->process].pid);
	}
	nx_json_key_bool(w, "is_empty", d->is_empty);
	if (d->model_id)
		nx_json_key_digits(w, "model_id", d->model_id);
	key_known_text(w, "model_name", d->model_name);
	key_known_text(w, "neff_path", d->neff_path);
	if (d->rank != UINT32_MAX)
		nx_json_key_u64(w, "rank", d->rank);
	key_known_text(w, "session_path", d->session_path);
	nx_json_end_object(w);
}

void nx_json_system_devices(struct nx_json_writer *w, const struct nx_system_profile *profile)
{
	nx_json_begin_array(w);
	for (size_t i = 0; i < profile->devices.len; i++)
		write_device(w, profile, &profile->devices.items[i]);
	nx_json_end_array(w);
}

void nx_json_system_stated(struct nx_json_writer *w, const struct nx_system_profile *profile,
			   bool include_private)
{
	nx_json_key(w, "system_profile_metadata");
	write_metadata(w, profile);
	nx_json_key(w, "process_list");
	nx_json_begin_array(w);
	for (uint32_t i = 0; i < profile->process_count; i++)
		write_process(w, &profile->processes[i], include_private);
	nx_json_end_array(w);
	nx_json_key(w, "device_profile_list");
	nx_json_system_devices(w, profile);
}
