// SPDX-License-Identifier: Apache-2.0
// Keeps the URL of a profile's page and its stores the same. Small changes replace the entry of the
// history a few times a second at most (browsers refuse more); jumps make a new one, so that Back
// undoes them.

import type { ProfileContext } from "../contract.ts";
import type { Store } from "../store.ts";
import { isSameView } from "./home.ts";
import { clampView } from "./view.ts";
import { queryOf, stateOf, type PageState } from "./url.ts";

const EVERY_MS = 400;

function pageState(context: ProfileContext, dock: string): PageState {
	const view = context.view.get();
	return {
		view: isSameView(view, context.home) ? null : view,
		selected: context.selected.get(),
		search: context.search.get(),
		settings: context.settings.get(),
		dock,
		annotationSet: context.annotationSet.get(),
		markers: context.markers.get(),
	};
}

export class UrlSync {
	private timer: ReturnType<typeof setTimeout> | undefined;
	private isJump = false;
	private readonly stops: (() => void)[] = [];

	constructor(private readonly context: ProfileContext, private readonly dock: Store<string>) {}

	start(): void {
		const { view, selected, search, settings, annotationSet, markers } = this.context;
		for (const store of [view, selected, search, settings, annotationSet, markers, this.dock])
			this.stops.push((store as Store<unknown>).watch(() => this.soon()));
		this.write();
	}

	stop(): void {
		clearTimeout(this.timer);
		for (const stop of this.stops) stop();
	}

	/** What follows becomes a new entry of the history. */
	beforeJump(): void {
		this.write();
		this.isJump = true;
	}

	/** Takes the state from the URL again, after Back or Forward. */
	read(): void {
		const state = stateOf(location.search);
		const { context } = this;
		context.view.set(state.view ? clampView(state.view, context.endNs) : context.home);
		context.selected.set(state.selected);
		context.search.set(state.search);
		context.settings.set(state.settings);
		context.annotationSet.set(state.annotationSet);
		context.markers.set(state.markers);
		if (state.dock) this.dock.set(state.dock);
		clearTimeout(this.timer);
		this.timer = undefined;
		this.isJump = false;
	}

	private soon(): void {
		this.timer ??= setTimeout(() => this.write(), EVERY_MS);
	}

	private write(): void {
		clearTimeout(this.timer);
		this.timer = undefined;
		const query = queryOf(pageState(this.context, this.dock.get()));
		if (query === location.search) return;
		const url = location.pathname + query;
		if (this.isJump) history.pushState(null, "", url);
		else history.replaceState(null, "", url);
		this.isJump = false;
	}
}
