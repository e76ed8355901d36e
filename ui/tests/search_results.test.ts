// SPDX-License-Identifier: Apache-2.0
// The position in the results of a search is the same in all panels and follows the selection.

import test from "node:test";
import assert from "node:assert/strict";
import type { ProfileContext } from "../src/contract.ts";
import { createStore } from "../src/store.ts";
import { gatedContext } from "../src/state/gate.ts";
import { goToResult, placeIn } from "../src/panels/search/search_results.ts";

const HITS = [10, 20, 20, 30].map((start, i) => ({ table: "Instruction", row: String(i * 7),
	start_ns: String(start) }));

function contextWith(selected: string | null): ProfileContext {
	const event = selected === null ? null : { table: "Instruction", row: selected };
	const context = {
		api: {
			search: (_: unknown, { to, offset = 0, limit = 500 }: { to?: string; offset?: number;
				limit?: number }) => {
				const all = HITS.filter((hit) => to === undefined || Number(hit.start_ns) < Number(to));
				return Promise.resolve({ total: String(all.length), duration_ns: "0",
					rows: all.slice(offset, offset + limit) });
			},
			event: ({ row }: { row: string }) =>
				Promise.resolve(HITS.find((hit) => hit.row === row) ?? { start_ns: "15" }),
		},
		reveal: (to: { table: string; row: string }) => context.selected.set(to),
	} as unknown as ProfileContext;
	for (const name of ["view", "hovered", "box", "highlight", "markers", "annotationSet", "settings"])
		Object.assign(context, { [name]: createStore(null) });
	return Object.assign(context, { selected: createStore(event),
		search: createStore({ table: "Instruction", where: ["opcode=A"], text: "" }) });
}

const settled = () => new Promise((done) => setTimeout(done, 5));

test("two panels agree", async () => {
	const context = contextWith(null);
	const one = gatedContext(context, createStore(true)), other = gatedContext(context, createStore(true));
	placeIn(one);
	placeIn(other);
	await settled();
	await goToResult(one, 1);
	await settled();
	assert.deepEqual(placeIn(one).get(), { index: 1, total: 4 });
	assert.equal(placeIn(other), placeIn(one));
});

test("the selected event of a link has its position, also among events that start together", async () => {
	const context = contextWith("14");
	placeIn(context);
	await settled();
	assert.deepEqual(placeIn(context).get(), { index: 2, total: 4 });
	context.selected.set({ table: "Instruction", row: "5" });
	await settled();
	assert.equal(placeIn(context).get().index, -1, "not a result");
});
