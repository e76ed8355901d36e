// SPDX-License-Identifier: Apache-2.0
// The current position in the results of the active search; shared by the Search panel and the
// pager in Event details. It follows the selected event, which is part of the link.

import type { EventSummary } from "../../api/types.ts";
import type { EventRef, ProfileContext, SearchQuery } from "../../contract.ts";
import { createStore, type Store } from "../../store.ts";
import { sentenceOf } from "../parts/use_load.ts";

export interface Place {
	index: number; // -1: the selected event is not a result
	total: number;
}

interface Results {
	place: Store<Place>;
	query: SearchQuery | null;
	selected: EventRef | null;
	seen: WeakSet<ProfileContext>; // panels that are watched
}

/** By the profile's API, because each panel has its own context. */
const known = new WeakMap<ProfileContext["api"], Results>();

function resultsOf(context: ProfileContext): Results {
	let results = known.get(context.api);
	if (!results) {
		results = { place: createStore<Place>({ index: -1, total: 0 }), query: null, selected: null,
			seen: new WeakSet() };
		known.set(context.api, results);
	}
	if (!results.seen.has(context)) {
		results.seen.add(context);
		const follow = () => refresh(context, results);
		follow();
		context.search.watch(follow);
		context.selected.watch(follow);
	}
	return results;
}

export const placeIn = (context: ProfileContext): Store<Place> => resultsOf(context).place;

const isSame = (a: EventRef | EventSummary | null, b: EventRef | null) =>
	a?.table === b?.table && a?.row === b?.row;

function refresh(context: ProfileContext, results: Results): void {
	const query = context.search.get(), selected = context.selected.get();
	const isNew = query !== results.query;
	if (!isNew && isSame(selected, results.selected)) return;
	results.query = query;
	results.selected = selected;
	if (isNew) {
		results.place.set({ index: -1, total: 0 });
		if (query) void count(context, results, query);
	}
	if (query) void locate(context, results, query, selected);
}

/** Counts the results here, because no open panel may list them. */
async function count(context: ProfileContext, results: Results,
	query: SearchQuery): Promise<void> {
	const page = await context.api.search(query, { limit: 1 })
		.catch(() => null); // the list of results shows the failure
	if (page && results.query === query)
		results.place.update((now) => ({ ...now, total: Number(page.total) }));
}

const MOST_TOGETHER = 200; // results that start at the same time

/** Results are in order of their start, so those before the event tell its position. */
async function indexOf(context: ProfileContext, query: SearchQuery,
	event: EventRef): Promise<number> {
	if (query.table && query.table !== event.table) return -1;
	const { start_ns } = await context.api.event(event);
	const before = BigInt(start_ns) > 0n
		? Number((await context.api.search(query, { to: start_ns, limit: 1 })).total) : 0;
	const { rows } = await context.api.search(query, { offset: before, limit: MOST_TOGETHER });
	const at = rows.findIndex((row) => isSame(row, event));
	return at < 0 ? -1 : before + at;
}

async function locate(context: ProfileContext, results: Results, query: SearchQuery,
	selected: EventRef | null): Promise<void> {
	const index = selected ? await indexOf(context, query, selected).catch(() => -1) : -1;
	if (results.query === query && isSame(selected, results.selected))
		results.place.update((now) => ({ ...now, index }));
}

/** Selects a result whose position is known. */
export function showResult(context: ProfileContext, found: EventSummary, index: number): void {
	const results = resultsOf(context);
	results.selected = { table: found.table, row: found.row };
	results.place.update((now) => ({ ...now, index }));
	context.reveal(results.selected);
}

/** Selects a result by its position; wraps around at both ends. */
export async function goToResult(context: ProfileContext, index: number): Promise<void> {
	const query = context.search.get();
	const { total } = placeIn(context).get();
	if (!query || !total) return;
	const at = ((index % total) + total) % total;
	try {
		const found = (await context.api.search(query, { offset: at, limit: 1 })).rows[0];
		if (found && context.search.get() === query) showResult(context, found, at);
	} catch (failure) {
		context.notify(sentenceOf(failure), "error");
	}
}
