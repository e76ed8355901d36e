/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unpublished_calls: functions that AWS announced without their arguments.
 *
 * Programs that name them load; a call fails and says why. They are not in our headers.
 */
#include "runtime/nrt/nrt_log.h"
#include "runtime/nrt/symbol_version.h"

/* Their arguments are unknown, and not looked at. */
NRT_STATUS nrt_cc_prepare_coalesced(void);
NRT_STATUS nrt_dump_device_allocation_info(void);
NRT_STATUS nrt_debug_log_oom_report(void);
NRT_STATUS nrt_tensor_cast(void);
NRT_STATUS nrt_tensor_compute(void);
NRT_STATUS nrta_cc_prepare_coalesced(void);
NRT_STATUS nrta_tensor_cast(void);
NRT_STATUS nrta_tensor_compute(void);

static NRT_STATUS refuse(const char *call, const char *instead)
{
	nx_log_error(call, "not available: its arguments are not published; %s", instead);
	return NRT_FAILURE;
}

NX_NRT_EITHER(nx_cc_prepare_coalesced, nrt_cc_prepare_coalesced);
NX_NRT_3(nx_nrta_cc_prepare_coalesced, nrta_cc_prepare_coalesced);
NX_NRT_2(nx_nrta_cc_prepare_coalesced, nrta_cc_prepare_coalesced, NRT_STATUS(void));
NX_NRT_EITHER(nx_dump_allocation_info, nrt_dump_device_allocation_info);
NX_NRT_EITHER(nx_log_oom_report, nrt_debug_log_oom_report);
NX_NRT_EITHER(nx_tensor_cast, nrt_tensor_cast);
NX_NRT_EITHER(nx_tensor_compute, nrt_tensor_compute);
NX_NRT_3(nx_nrta_tensor_cast, nrta_tensor_cast);
NX_NRT_2(nx_nrta_tensor_cast, nrta_tensor_cast, NRT_STATUS(void));
NX_NRT_3(nx_nrta_tensor_compute, nrta_tensor_compute);
NX_NRT_2(nx_nrta_tensor_compute, nrta_tensor_compute, NRT_STATUS(void));

NRT_STATUS nx_cc_prepare_coalesced(void)
{
	return refuse("nrt_cc_prepare_coalesced", "prepare each collective with nrta_cc_prepare");
}

NRT_STATUS nx_nrta_cc_prepare_coalesced(void)
{
	return refuse("nrta_cc_prepare_coalesced", "prepare each collective with nrta_cc_prepare");
}

NRT_STATUS nx_dump_allocation_info(void)
{
	return refuse("nrt_dump_device_allocation_info", "use nrt_get_vnc_memory_stats");
}

NRT_STATUS nx_log_oom_report(void)
{
	return refuse("nrt_debug_log_oom_report", "use nrt_get_vnc_memory_stats");
}

NRT_STATUS nx_tensor_cast(void)
{
	return refuse("nrt_tensor_cast", "convert the tensor on the host");
}

NRT_STATUS nx_tensor_compute(void)
{
	return refuse("nrt_tensor_compute", "compute on the host or in a NEFF");
}

NRT_STATUS nx_nrta_tensor_cast(void)
{
	return refuse("nrta_tensor_cast", "convert the tensor on the host");
}

NRT_STATUS nx_nrta_tensor_compute(void)
{
	return refuse("nrta_tensor_compute", "compute on the host or in a NEFF");
}
