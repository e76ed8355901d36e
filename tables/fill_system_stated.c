/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata of a system profile, its device profiles and its warnings. */
#include "base/date.h"
#include "base/number.h"
#include "model/schema_fields.h"
#include "tables/fillers.h"

/* All machines of a run are of one kind, so the first process is enough. */
static void put_kind(struct nx_row *row, const struct nx_system_profile *profile)
{
	const struct nx_system_process *first =
		profile->process_count ? &profile->processes[0] : NULL;
	const struct nx_hardware *hardware = first ? nx_hardware_of(first->arch) : NULL;

	nx_row_put_i64(row, NX_COL_SystemProfileMetadata_ntff_version,
		       first ? first->data_version : 0);
	nx_row_put_u64(row, NX_COL_SystemProfileMetadata_hbm_capacity_bytes,
		       hardware ? hardware->hbm_bytes : 0);
}

enum nx_status nx_fill_system_metadata(struct nx_system_fill *fill)
{
	const struct nx_system_profile *p = fill->profile;
	char first_date[NX_DATE_MAX], last_date[NX_DATE_MAX];
	char first_digits[NX_NUMBER_MAX], last_digits[NX_NUMBER_MAX];
	struct nx_row row;

	nx_row_init(&row, NX_SCHEMA_SystemProfileMetadata);
	nx_row_put_slice(&row, NX_COL_SystemProfileMetadata_first_ts,
			 nx_slice_of(first_date, nx_format_date(first_date, p->first_ns)));
	nx_row_put_slice(&row, NX_COL_SystemProfileMetadata_last_ts,
			 nx_slice_of(last_date, nx_format_date(last_date, p->last_ns)));
	nx_row_put_slice(&row, NX_COL_SystemProfileMetadata_first_ts_ns,
			 nx_slice_of(first_digits, nx_format_u64(first_digits, p->first_ns)));
	nx_row_put_slice(&row, NX_COL_SystemProfileMetadata_last_ts_ns,
			 nx_slice_of(last_digits, nx_format_u64(last_digits, p->last_ns)));
	put_kind(&row, p);
	nx_put_only_row(fill->sink, &row);
	return NX_OK;
}

static void put_device(const struct nx_system_fill *fill, const struct nx_device_capture *d,
		       const char *name)
{
	const struct nx_system_profile *p = fill->profile;
	const struct nx_system_process *process =
		d->process < p->process_count ? &p->processes[d->process] : NULL;
	struct nx_row row;

	nx_row_init(&row, NX_SCHEMA_DeviceProfileList);
	nx_row_put_text(&row, NX_COL_DeviceProfileList_device_profile_name, name);
	nx_row_put_text(&row, NX_COL_DeviceProfileList_instance_id,
			process ? process->instance_id : "");
	nx_row_put_u64(&row, NX_COL_DeviceProfileList_process_id, process ? process->pid : 0);
	nx_row_put_i64(&row, NX_COL_DeviceProfileList_nc_id,
		       d->nc_idx != UINT32_MAX ? (int64_t)d->nc_idx : -1);
	if (d->session != UINT32_MAX)
		nx_row_put_i64(&row, NX_COL_DeviceProfileList_session_id, d->session);
	if (d->model_id)
		nx_row_put_u64(&row, NX_COL_DeviceProfileList_model_id, d->model_id);
	nx_table_sink_put(fill->sink, &row);
}

enum nx_status nx_fill_system_devices(struct nx_system_fill *fill)
{
	struct nx_arena arena = {0};
	const char **names = nx_system_device_names(fill->profile, &arena);

	nx_table_sink_begin(fill->sink, NX_SCHEMA_DeviceProfileList);
	for (size_t i = 0; i < fill->profile->devices.len; i++)
		if (names[i])
			put_device(fill, &fill->profile->devices.items[i], names[i]);
	nx_table_sink_end(fill->sink, NX_SCHEMA_DeviceProfileList);
	nx_arena_release(&arena);
	return NX_OK;
}

static void put_session(const struct nx_system_fill *fill, const struct nx_run_session *session,
			const struct nx_run_host *host)
{
	struct nx_row row;

	nx_row_init(&row, NX_SCHEMA_ProfileSession);
	nx_row_put_text(&row, NX_COL_ProfileSession_session_name, session->name);
	nx_row_put_text(&row, NX_COL_ProfileSession_session_kind, session->kind);
	if (*session->reason)
		nx_row_put_text(&row, NX_COL_ProfileSession_reason, session->reason);
	nx_row_put_text(&row, NX_COL_ProfileSession_host, host->name);
	nx_row_put_text(&row, NX_COL_ProfileSession_host_state, host->state);
	if (*host->failure)
		nx_row_put_text(&row, NX_COL_ProfileSession_failure, host->failure);
	if (session->end_ns) {
		nx_row_put_u64(&row, NX_COL_ProfileSession_start_ts, session->start_ns);
		nx_row_put_u64(&row, NX_COL_ProfileSession_end_ts, session->end_ns);
	}
	if (session->gap_ns)
		nx_row_put_u64(&row, NX_COL_ProfileSession_gap_ns, session->gap_ns);
	nx_table_sink_put(fill->sink, &row);
}

enum nx_status nx_fill_system_sessions(struct nx_system_fill *fill)
{
	const struct nx_run_sessions *sessions = &fill->profile->sessions;

	nx_table_sink_begin(fill->sink, NX_SCHEMA_ProfileSession);
	for (size_t i = 0; i < sessions->len; i++)
		for (size_t k = 0; k < sessions->items[i].hosts.len; k++)
			put_session(fill, &sessions->items[i], &sessions->items[i].hosts.items[k]);
	nx_table_sink_end(fill->sink, NX_SCHEMA_ProfileSession);
	return NX_OK;
}

enum nx_status nx_fill_system_notes(struct nx_system_fill *fill)
{
	nx_put_warnings(&fill->profile->warnings, fill->sink);
	nx_schema_fields_write(fill->sink);
	return NX_OK;
}
