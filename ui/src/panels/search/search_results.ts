// SPDX-License-Identifier: Apache-2.0
// The current position in the results of the active search; shared by the Search panel and the
// pager in Event details.

import type { ProfileContext } from "../../contract.ts";
import { createStore, type Store } from "../../store.ts";
import { sentenceOf } from "../parts/use_load.ts";

export interface Place {
	index: number; // -1: before the first
	total: number;
}

const places = new WeakMap<ProfileContext, Store<Place>>();

export function placeIn(context: ProfileContext): Store<Place> {
	let place = places.get(context);
	if (!place) {
		place = createStore<Place>({ index: -1, total: 0 });
		places.set(context, place);
		count(context, place);
		context.search.watch(() => count(context, placeIn(context)));
	}
	return place;
}

/** Counts the results here, because no open panel may list them. */
function count(context: ProfileContext, place: Store<Place>): void {
	const query = context.search.get();
	place.set({ index: -1, total: 0 });
	if (!query) return;
	context.api.search(query, { limit: 1 }).then((page) => {
		if (context.search.get() === query)
			place.update((now) => ({ ...now, total: Number(page.total) }));
	}, () => undefined); // the list of results shows the failure
}

/** Selects a result; wraps around at both ends. */
export async function goToResult(context: ProfileContext, index: number): Promise<void> {
	const query = context.search.get();
	const { total } = placeIn(context).get();
	if (!query || !total) return;
	const at = ((index % total) + total) % total;
	try {
		const page = await context.api.search(query, { offset: at, limit: 1 });
		const found = page.rows[0];
		if (!found || context.search.get() !== query) return;
		placeIn(context).set({ index: at, total });
		context.reveal({ table: found.table, row: found.row });
	} catch (failure) {
		context.notify(sentenceOf(failure), "error");
	}
}
