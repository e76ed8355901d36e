// SPDX-License-Identifier: Apache-2.0
// The callers and callees of an event. Runtimes attach flow ids only to the innermost calls, so an
// outer call takes the flow of its callees.

import { text, type Row } from "../parts/data.ts";

export interface Call {
	row: string;
	name: string;
}

export interface Calls {
	callers: Call[]; // outermost first
	calledCount: number;
	flows: string[]; // its own, else of its callees, else of its callers
}

const flowsOf = (rows: Row[]) => [...new Set(rows.flatMap((row) => {
	const flow = row["flow_id"];
	return Array.isArray(flow) ? flow.map(text) : [];
}))];

export function callsOf(rows: Row[], row: string): Calls {
	const own = rows.filter((one) => text(one["row_idx"]) === row);
	const others = (way: string) =>
		rows.filter((one) => one["way"] === way && text(one["row_idx"]) !== row);
	const callers = others("up"), called = others("down");
	const choices = [flowsOf(own), flowsOf(called), flowsOf(callers)];
	return {
		callers: callers.map((one) => ({ row: text(one["row_idx"]), name: text(one["name"]) })),
		calledCount: called.length,
		flows: choices.find((flows) => flows.length) ?? [],
	};
}
