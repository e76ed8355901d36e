/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hardware_table: engines, DMA, array and frame of each generation.
 *
 * Measured numbers are medians over published captures: 8 of trn1, 117 of inf2 and 60 of
 * trn2. If runtimes differ, the number is that of the newer one, and the source says so.
 */
#include "runtime/timing/hardware_table.h"

#include "runtime/timing/cost_rows.h"

#define US(us) ((uint64_t)((us)*1e6 + 0.5))
#define SOURCE(weight, words)                                                                      \
	{                                                                                          \
		weight, words                                                                      \
	}
#define MEASURED(words) SOURCE(NX_MEASURED, words)
#define DERIVED(words) SOURCE(NX_DERIVED, words)
#define ASSUMED(words) SOURCE(NX_ASSUMED, words)

/* A row of the tables below; columns as in struct nx_engine_timing, in nanoseconds. */
#define ENGINE(depth, update, update_control, wake, wake_control, body, drain, drain_write, first, \
	       weight, words)                                                                      \
	{                                                                                          \
		.queue_depth = (depth), .update_ps = NX_NS(update),                                \
		.update_control_ps = NX_NS(update_control), .wake_ps = NX_NS(wake),                \
		.wake_control_ps = NX_NS(wake_control), .body_wake_ps = NX_NS(body),               \
		.drain_ps = NX_NS(drain), .drain_write_ps = NX_NS(drain_write),                    \
		.first_instruction_ps = NX_NS(first), .source = {                                  \
			weight,                                                                    \
			words                                                                      \
		}                                                                                  \
	}
#define SEEN_AHEAD                                                                                 \
	"captures; PE was 33 ahead 508 times, 34 87 times; Vector up to 11, so its depth is the "  \
	"least that explains that"
#define DEPTH_OF_VECTOR "captures; queue depth as the vector engine's"

/* --- NeuronCore v2 ---------------------------------------------------------------- */

/* The semaphore changes before the record of its instruction ends, so updates are negative. */
#define V2_ENGINES(tensor, scalar, gpsimd, vector, sync)                                           \
	{                                                                                          \
		[NX_ENGINE_TENSOR] = ENGINE(33, -33.6, -33.6, 81.4, 70, 75, 41, 0, tensor,         \
					    NX_DERIVED, SEEN_AHEAD),                               \
		[NX_ENGINE_SCALAR] = ENGINE(12, -44, -44, 71, 71, 75.5, 31, 0, scalar, NX_DERIVED, \
					    DEPTH_OF_VECTOR),                                      \
		[NX_ENGINE_GPSIMD] = ENGINE(12, -46, -46, 70, 70, 75.5, 33, 0, gpsimd, NX_ASSUMED, \
					    "captures; drain and depth as the vector engine's"),   \
		[NX_ENGINE_VECTOR] =                                                               \
			ENGINE(12, -36, -36, 69, 69, 74, 33, 0, vector, NX_DERIVED, SEEN_AHEAD),   \
		[NX_ENGINE_SYNC] =                                                                 \
			ENGINE(12, -49.3, -49.3, 70, 70, 70, 7.9, 240, sync, NX_ASSUMED,           \
			       "captures; waits as GpSimd's, after WRITE as on trn2"),             \
	}

/* From one capture of trn1; inf2 alike is an assumption. */
#define V2_BEHIND_NOTIFY                                                                           \
	{                                                                                          \
		NX_NS(58), NX_NS(311), NX_NS(424), NX_NS(671), NX_NS(512)                          \
	}

#define V2_ARRAY                                                                                   \
	{                                                                                          \
		.base_ps = 160000, .minimum_ps = 0, .gap_ps = 2500, .dispatch_ps = 4000,           \
		.weights_base_ps = 72000,                                                          \
		.source = DERIVED("inf2: idle MATMUL of 112 sizes; weights from an end of 83.5 "   \
				  "ns for 128 columns; gap and dispatch as on trn2"),              \
	}

#define V2_THROTTLE                                                                                \
	{                                                                                          \
		.is_there = false,                                                                 \
		.source = MEASURED("inf2 shows 7/8 for tens of ns only, trn1 nothing"),            \
	}

#define V2_RECORDS .source = ASSUMED("no capture has DGE notifications; they hold nobody up")

#define HARDWARE_DGE                                                                               \
	.hardware_start_ps = {NX_NS(1315), NX_NS(1190), NX_NS(1315), NX_NS(1315), NX_NS(1315)},    \
	.hardware_spread_ps = NX_NS(285)

/* What GpSimd writes itself is read back over the same ring on both kinds of this generation. */
#define V2_SOFTWARE_DGE                                                                            \
	.software_start_ps = NX_NS(193), .software_spread_ps = NX_NS(134),                         \
	.software_step_ps = NX_NS(648), .software_record_ps = NX_NS(1172),                         \
	.software_wake_ps = NX_NS(698), .software_release_ps = NX_NS(562)

#define FIRST_PACKETS(factor, load, store)                                                         \
	.first_load_factor = (factor), .first_load_ps = NX_NS(load),                               \
	.first_static_store_ps = NX_NS(store), .first_dge_store_ps = NX_NS(250)
#define FOR_ALL(ps)                                                                                \
	{                                                                                          \
		ps, ps, ps, ps, ps                                                                 \
	}
#define PACKETS                                                                                    \
	.bytes_per_ns = 27.2, .packet_ps = 8200, .packet_step_ps = 4700,                           \
	.packet_source = MEASURED("lower bound of 226,672 packets of three generations: 32 bytes " \
				  "and 7 cycles at 850 MHz")

static const struct nx_hardware_timing trn1 = {
	.name = "trn1",
	.arch = NX_DEVICE_TRN1,
	.engines = V2_ENGINES(10499, 10461, 10475, 10418, 10335),
	.array = V2_ARRAY,
	.dma = {PACKETS,
		.load_bytes_per_ns = 18.4,
		.store_bytes_per_ns = 17,
		FIRST_PACKETS(2.2, 0, 0),
		.busy_queue_ps = NX_NS(500),
		.after_queue_ps = NX_NS(94),
		.rate_source = MEASURED("three captures: loads behind the second packet, median "
					"ring; first loads and stores of the slowest of 16 rings; "
					"behind another queue as on trn2"),
		.static_start_ps = {NX_NS(280), NX_NS(280), NX_NS(304), NX_NS(280), NX_NS(280)},
		.static_spread_ps = {NX_NS(40), NX_NS(40), NX_NS(110), NX_NS(40), NX_NS(40)},
		.static_source = DERIVED("96 rings of Sync and GpSimd; others as Sync"),
		V2_SOFTWARE_DGE,
		.software_source = ASSUMED("as on inf2"),
		HARDWARE_DGE,
		.hardware_source = ASSUMED("not in this generation; as on trn2"),
		.static_notify_ps = NX_NS(170),
		.software_notify_ps = NX_NS(170),
		.hardware_notify_ps = NX_NS(170),
		.completion_ps = NX_NS(84),
		.semaphore_completion_ps = NX_NS(84),
		.semaphore_after_load_ps = NX_NS(98),
		.semaphore_after_store_ps = NX_NS(346),
		.notify_source = DERIVED("static queues: 160 to 185; others as those; semaphore "
					 "packets 89 to 108 and 260 to 416 after the data")},
	.throttle = V2_THROTTLE,
	.frame = {.start_ps = NX_NS(10335),
		  .gpsimd_library_ps = 0,
		  .end_ps = NX_NS(4595),
		  .behind_notify_ps = V2_BEHIND_NOTIFY,
		  .tables_ps = NX_NS(10335 - 387),
		  /* 8, and 169 that the words take less than the 4,595 they were measured to. */
		  .close_ps = NX_NS(8 + 169),
		  .source = MEASURED("3 captures: starts of 10.25 to 10.59 us, others up to 12.1; "
				     "4,590 to 4,596 at the end if GpSimd is last")},
	.records = {V2_RECORDS},
};

static const struct nx_hardware_timing inf2 = {
	.name = "inf2",
	.arch = NX_DEVICE_INF2,
	.engines = V2_ENGINES(3411, 3376, 3387, 3334, 3239),
	.array = V2_ARRAY,
	.dma = {PACKETS,
		.load_bytes_per_ns = 16.5,
		.store_bytes_per_ns = 16,
		FIRST_PACKETS(1, 250, 250),
		.busy_queue_ps = NX_NS(500),
		.after_queue_ps = NX_NS(94),
		.rate_source = DERIVED("seen 17 to 20; first packets and queues as on trn2"),
		.static_start_ps = FOR_ALL(NX_NS(368)),
		.static_spread_ps = FOR_ALL(NX_NS(166)),
		.static_source = DERIVED("944 queues of Sync; others as that"),
		V2_SOFTWARE_DGE,
		.software_source = DERIVED("2,803 queues of GpSimd; hand-over, release and step "
					   "with registers as on trn2"),
		HARDWARE_DGE,
		.hardware_source = ASSUMED("not in this generation; as on trn2"),
		.static_notify_ps = NX_NS(157),
		.software_notify_ps = NX_NS(157),
		.hardware_notify_ps = NX_NS(157),
		.completion_ps = NX_NS(84),
		.semaphore_completion_ps = NX_NS(84),
		.notify_source = DERIVED("142 to 277; hardware as those")},
	.throttle = V2_THROTTLE,
	.frame = {.start_ps = NX_NS(3239),
		  .gpsimd_library_ps = US(1859.637),
		  .end_ps = NX_NS(2444),
		  .behind_notify_ps = V2_BEHIND_NOTIFY,
		  .source = MEASURED("117 captures of one program in 112 sizes")},
	.records = {V2_RECORDS},
};

/* --- NeuronCore v3 ---------------------------------------------------------------- */

#define V3_ENGINES(weight)                                                                         \
	{                                                                                          \
		[NX_ENGINE_TENSOR] = ENGINE(33, 14.2, 12.5, 41.7, 28.3, 35.8, 41, 0, 13412,        \
					    weight, SEEN_AHEAD),                                   \
		[NX_ENGINE_SCALAR] = ENGINE(12, 9.2, 7.5, 22.9, 20.8, 28.3, 13, 0, 13339, weight,  \
					    DEPTH_OF_VECTOR),                                      \
		[NX_ENGINE_GPSIMD] =                                                               \
			ENGINE(12, 10, 8.3, 24.2, 24.2, 31.7, 20, 0, 13264, NX_ASSUMED,            \
			       "captures; compute waits as control, depth as vector"),             \
		[NX_ENGINE_VECTOR] =                                                               \
			ENGINE(12, 11, 9, 23.3, 27.5, 36.9, 20, 0, 13230, weight, SEEN_AHEAD),     \
		[NX_ENGINE_SYNC] =                                                                 \
			ENGINE(12, 0, 0, 16.7, 16.7, 25.9, 7.5, 240, 13171, weight,                \
			       "captures; it computes nothing, so all waits are control's"),       \
	}

#define V3_TIMING(weight)                                                                          \
	.array = {.base_ps = 165333,                                                               \
		  .minimum_ps = 26700,                                                             \
		  .gap_ps = 2500,                                                                  \
		  .half_lead_ps = 40500,                                                           \
		  .dispatch_ps = 4000,                                                             \
		  .weights_base_ps = 79000,                                                        \
		  .source = weight("2,330 idle MATMULs, 34,518 queued ones, 2,274 LDWEIGHTS; "     \
				   "lead 38.8 or 42.2 in 312 queued at half rate, none at full")}, \
	.dma = {PACKETS,                                                                           \
		.load_bytes_per_ns = 21,                                                           \
		.store_bytes_per_ns = 25,                                                          \
		FIRST_PACKETS(1, 250, 0),                                                          \
		.busy_queue_ps = NX_NS(900),                                                       \
		.after_queue_ps = NX_NS(94),                                                       \
		.rate_source = weight("full bursts of 16 engines: 20 to 23.7 loads, 24 to 26.5 "   \
				      "stores; no first static store of 175 took longer"),         \
		.static_start_ps = FOR_ALL(NX_NS(642)),                                            \
		.static_spread_ps = FOR_ALL(NX_NS(210)),                                           \
		.static_source = weight("1,056 queues of the newer runtime; 748 to 854 with the "  \
					"older one"),                                              \
		.software_start_ps = NX_NS(761),                                                   \
		.software_spread_ps = NX_NS(208),                                                  \
		.software_step_ps = NX_NS(582),                                                    \
		.software_record_ps = NX_NS(1172),                                                 \
		.software_wake_ps = NX_NS(850),                                                    \
		.software_release_ps = NX_NS(562),                                                 \
		.software_element_ps = 322,                                                        \
		.software_plane_ps = NX_NS(209),                                                   \
		.software_ring_step_ps = NX_NS(606),                                               \
		.software_backlog_ps = NX_NS(1222),                                                \
		.software_source = weight("15,718 queues, those of short elements apart; per "     \
					  "element from waits for 128, 4 x 128 (4 captures) and "  \
					  "8 x 128 (1)"),                                          \
		HARDWARE_DGE,                                                                      \
		.hardware_source = weight("120 instructions of Sync and Scalar; published: 1,300 " \
					  "to start, 600 a step; short loads of software; 1,106 "  \
					  "of hardware"),                                          \
		.short_load_spread_ps = NX_NS(1080),                                               \
		.short_load_bytes = 63,                                                            \
		.static_notify_ps = NX_NS(367),                                                    \
		.software_notify_ps = NX_NS(326),                                                  \
		.hardware_notify_ps = NX_NS(311),                                                  \
		.completion_ps = NX_NS(242),                                                       \
		.semaphore_completion_ps = NX_NS(425),                                             \
		.settle_bytes = 2,                                                                 \
		.notify_source = weight("middles of 345 to 390 (static), 215 to 270 and 400 to "   \
					"450 (completion); stores of 2 bytes as HBM to HBM")},     \
	.throttle = {.is_there = true,                                                             \
		     .window_ps = 3413333,                                                         \
		     .rise_frac = 0.775,                                                           \
		     .fall_frac = 0.37,                                                            \
		     .source = weight("4096 cycles at 1.2 GHz; 32 rises at 0.81 and above, 32 "    \
				      "falls at 0.36 and below")},                                 \
	.frame = {.start_ps = NX_NS(13171),                                                        \
		  .gpsimd_library_ps = NX_NS(1239),                                                \
		  .end_ps = NX_NS(1775),                                                           \
		  .source = weight("16 captures of the newer runtime; 12,966 and 2,000 to 2,490 "  \
				   "with the older one")}

#define V3_RECORDS(weight)                                                                         \
	.records = {.depth = {36, 36, 36, 28, 36},                                                 \
		    .ahead = {64},                                                                 \
		    .record_ps = 1667,                                                             \
		    .descriptors_ps = NX_NS(700),                                                  \
		    .descriptors_lead_ps = NX_NS(605),                                             \
		    .source = weight("3 captures with DGE notifications: order of records in "     \
				     "the ring, semaphores 700.0 late, 605 from descriptors to "   \
				     "record; 119 events in 200 ns at the end of 8; depths of "    \
				     "Scalar and Sync as GpSimd's")}

static const struct nx_hardware_timing trn2 = {.name = "trn2",
					       .arch = NX_DEVICE_TRN2,
					       .engines = V3_ENGINES(NX_DERIVED),
					       V3_TIMING(MEASURED),
					       V3_RECORDS(DERIVED)};

static const struct nx_hardware_timing trn3 = {.name = "trn3",
					       .arch = NX_DEVICE_TRN3,
					       .engines = V3_ENGINES(NX_ASSUMED),
					       V3_TIMING(ASSUMED),
					       V3_RECORDS(ASSUMED)};

const struct nx_hardware_timing *nx_device_hardware_of(enum nx_device_arch arch)
{
	switch (arch) {
	case NX_DEVICE_TRN1:
		return &trn1;
	case NX_DEVICE_INF2:
		return &inf2;
	case NX_DEVICE_TRN3:
		return &trn3;
	case NX_DEVICE_ANY:
	case NX_DEVICE_TRN2:
		break;
	}
	return &trn2;
}
