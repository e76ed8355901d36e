/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/device/schedule.h"

#include <assert.h>
#include <stdio.h>

#include "runtime/device/device_core.h"

struct actor_list NX_VEC_BODY(struct nx_actor);

static void list_ready(struct nx_machine *machine, struct actor_list *ready)
{
	nx_vec_clear(ready);
	for (size_t c = 0; c < machine->core_count; c++) {
		struct nx_core *core = &machine->cores[c];

		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			if (nx_core_engine_is_ready(core, e))
				nx_vec_push(ready, ((struct nx_actor){(uint8_t)c, false, e}));
		for (size_t q = 0; q < core->queue_count; q++)
			if (nx_core_queue_is_ready(core, q))
				nx_vec_push(ready,
					    ((struct nx_actor){(uint8_t)c, true, (uint32_t)q}));
	}
}

static void let_go(struct nx_machine *machine, struct nx_actor actor)
{
	struct nx_core *core = &machine->cores[actor.core];

	assert(actor.core < machine->core_count);
	if (actor.is_queue)
		nx_core_transfer(core, actor.index);
	else
		nx_core_step(core, actor.index);
}

static enum nx_status run_by_clock(struct nx_machine *machine, struct nx_error *err)
{
	const struct nx_device_clock *clock = machine->options->clock;
	struct actor_list ready = {0};
	enum nx_status status = NX_OK;

	for (;;) {
		size_t chosen;

		list_ready(machine, &ready);
		if (ready.len == 0 || machine->status)
			break;
		chosen = clock->choose(clock->context, ready.items, ready.len);
		if (chosen >= ready.len) {
			status = nx_fail(err, NX_CANCELLED, "the run was stopped by its clock");
			break;
		}
		let_go(machine, ready.items[chosen]);
	}
	nx_vec_release(&ready);
	return status;
}

static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Some turns are long, so that an engine can run far ahead of the others. */
static void run_by_chance(struct nx_machine *machine)
{
	static const unsigned turns[] = {1, 1, 2, 5, 40};
	uint64_t state = machine->options->seed;
	struct actor_list ready = {0};

	for (;;) {
		struct nx_actor actor;
		struct nx_core *core;
		unsigned left;

		list_ready(machine, &ready);
		if (ready.len == 0 || machine->status)
			break;
		actor = ready.items[draw(&state) % ready.len];
		core = &machine->cores[actor.core];
		left = turns[draw(&state) % 5];
		while (left-- && (actor.is_queue ? nx_core_queue_is_ready(core, actor.index)
						 : nx_core_engine_is_ready(core, actor.index)))
			let_go(machine, actor);
	}
	nx_vec_release(&ready);
}

/* Each engine runs until it has to wait, then each queue moves one block. */
static bool go_round(struct nx_machine *machine, struct nx_core *core)
{
	bool has_moved = false;

	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
		while (nx_core_engine_is_ready(core, e) && !machine->status) {
			nx_core_step(core, e);
			has_moved = true;
		}
	for (size_t q = 0; q < core->queue_count && !machine->status; q++)
		if (nx_core_queue_is_ready(core, q)) {
			nx_core_transfer(core, q);
			has_moved = true;
		}
	return has_moved;
}

static void run_in_turn(struct nx_machine *machine)
{
	bool has_moved;

	do {
		has_moved = false;
		for (size_t c = 0; c < machine->core_count; c++)
			has_moved |= go_round(machine, &machine->cores[c]);
	} while (has_moved && !machine->status);
}

static enum nx_status report_deadlock(struct nx_machine *machine, struct nx_error *err)
{
	char text[800];
	size_t used = 0;

	text[0] = '\0';
	for (size_t c = 0; c < machine->core_count; c++)
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
			const struct nx_core *core = &machine->cores[c];
			const uint8_t *word =
				nx_instruction_word(core->program->code[e], core->pcs[e]);
			char why[96], label[8];

			if (!word || used + 160 > sizeof(text))
				continue;
			nx_core_explain_wait(core, e, why, sizeof(why));
			used += (size_t)snprintf(
				text + used, sizeof(text) - used,
				"%score %zu %s at slot %u of %u (%s) %s", used ? "; " : "", c,
				nx_engine_label(e), core->pcs[e],
				(uint32_t)(core->program->code[e].len / NX_SLOT_BYTES),
				nx_opcode_label(nx_word_opcode(word), label), why);
		}
	return used ? nx_fail(err, NX_FORMAT, "the engines are deadlocked: %s", text) : NX_OK;
}

enum nx_status nx_schedule_run(struct nx_machine *machine, struct nx_error *err)
{
	const struct nx_device_clock *clock = machine->options->clock;
	enum nx_status status = NX_OK;

	if (clock && clock->choose)
		status = run_by_clock(machine, err);
	else if (machine->options->seed)
		run_by_chance(machine);
	else
		run_in_turn(machine);
	if (status)
		return status;
	if (machine->status) {
		if (err)
			*err = machine->error;
		return machine->status;
	}
	return report_deadlock(machine, err);
}
