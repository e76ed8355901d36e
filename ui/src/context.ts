// SPDX-License-Identifier: Apache-2.0
// Creates the ProfileContext of a profile's page: loads the profile and fills the shared stores
// from the page's URL.

import type { Api } from "./api/client.ts";
import type { Box, EventRef, ProfileContext, View } from "./contract.ts";
import { createStore, type Store } from "./store.ts";
import { homeView } from "./state/home.ts";
import { placeOf } from "./state/sessions.ts";
import type { PageState } from "./state/url.ts";
import { clampView, viewAround, viewToReveal } from "./state/view.ts";

interface PageHooks {
	openPanel(id: string): void;
	openProfile(name: string): void;
	notify(sentence: string, kind?: "info" | "error"): void;
	/**
	 * Adds an entry to the browser's history: now if the target is known, else at the next change.
	 */
	beforeJump(to?: View): void;
	/** Writes the current state to the URL. */
	writeLink(): void;
}

/** The time range that several timelines on one page share. */
export interface CommonTime {
	view: Store<View>;
	endNs: number;
	offsetNs: number; // where this profile begins
}

const DETAILS_PANEL = "event-details";

export async function loadContext(server: Api, name: string, state: PageState, hooks: PageHooks,
	signal: AbortSignal, common?: CommonTime): Promise<ProfileContext> {
	const api = server.of(name);
	const [details, all] = await Promise.all([server.profile(name, signal), api.tracks(signal)]);
	const beginNs = common?.offsetNs ?? 0;
	const originNs = BigInt(all.from_ns) - BigInt(beginNs);
	const endNs = common?.endNs ?? Number(BigInt(all.to_ns) - originNs);
	const home = homeView(details.kind, all.tracks, originNs, endNs);
	const session = details.sessions.find((one) => one.name === state.session);
	const place = session && placeOf(session, originNs);
	const first = state.view ? clampView(state.view, endNs)
		: place ? viewAround(place.fromNs, place.toNs, endNs) : home;
	const view = common?.view ?? createStore<View>(first);
	const selected = createStore<EventRef | null>(state.selected);
	let asking: AbortController | undefined;

	async function reveal(event: EventRef): Promise<void> {
		hooks.beforeJump();
		selected.set(event);
		hooks.openPanel(DETAILS_PANEL);
		asking?.abort();
		asking = new AbortController();
		try {
			const { start_ns, end_ns } = await api.event(event, asking.signal);
			const fromNs = Number(BigInt(start_ns) - originNs);
			const toNs = Number(BigInt(end_ns) - originNs);
			view.set(viewToReveal(view.get(), fromNs, toNs, endNs));
		} catch (failure) {
			if ((failure as Error).name !== "AbortError") hooks.notify((failure as Error).message,
				"error");
		}
	}

	return {
		name, details, originNs, beginNs, endNs, home, tracks: all.tracks, api, server, view, selected,
		hovered: createStore<EventRef | null>(null),
		box: createStore<Box | null>(null),
		search: createStore(state.search),
		highlight: createStore<PageState["search"]>(null),
		markers: createStore(state.markers),
		annotationSet: createStore(state.annotationSet),
		settings: createStore(state.settings),
		beforeJump: hooks.beforeJump,
		zoomTo(fromNs, toNs) {
			const to = viewAround(fromNs, toNs, endNs);
			hooks.beforeJump(to);
			view.set(to);
		},
		reveal: (event) => void reveal(event),
		openPanel: hooks.openPanel,
		openProfile: hooks.openProfile,
		notify: hooks.notify,
		link() {
			hooks.writeLink();
			return location.href;
		},
	};
}
