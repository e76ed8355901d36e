// SPDX-License-Identifier: Apache-2.0
// Keeps the URL of a profile's page and its stores in sync.

import type { ProfileContext, View } from "../contract.ts";
import type { Store } from "../store.ts";
import { Address } from "./address.ts";
import { isSameView } from "./home.ts";
import { clampView } from "./view.ts";
import { queryOf, stateOf, type PageState } from "./url.ts";

function pageState(context: ProfileContext, dock: string, view: View): PageState {
	return {
		view: isSameView(view, context.home) ? null : view,
		session: null, // the view has its times
		selected: context.selected.get(),
		search: context.search.get(),
		settings: context.settings.get(),
		dock,
		annotationSet: context.annotationSet.get(),
		markers: context.markers.get(),
	};
}

/** Avoids rebuilding all rows or scrolling to the selection when only the view has changed. */
function setIfOther<T>(store: Store<T>, next: T): void {
	if (JSON.stringify(store.get()) !== JSON.stringify(next)) store.set(next);
}

export class UrlSync {
	private readonly address: Address<View>;
	private readonly stops: (() => void)[] = [];

	constructor(private readonly context: ProfileContext, private readonly dock: Store<string>) {
		this.address = new Address((goal) =>
			queryOf(pageState(context, dock.get(), goal ?? context.view.get())));
	}

	start(): void {
		const { view, selected, search, settings, annotationSet, markers } = this.context;
		for (const store of [view, selected, search, settings, annotationSet, markers, this.dock])
			this.stops.push((store as Store<unknown>).watch(() => this.address.soon()));
		this.address.write();
	}

	stop(): void {
		this.address.forget();
		for (const stop of this.stops.splice(0)) stop();
	}

	write(): void {
		this.address.write();
	}

	beforeJump(to?: View): void {
		this.address.beforeJump(to);
	}

	/** Reads the state from the URL, after Back or Forward. */
	read(): void {
		const state = stateOf(location.search);
		const { context } = this;
		this.address.forget(); // a pending jump
		setIfOther(context.view, state.view ? clampView(state.view, context.endNs) : context.home);
		setIfOther(context.selected, state.selected);
		setIfOther(context.search, state.search);
		setIfOther(context.settings, state.settings);
		setIfOther(context.annotationSet, state.annotationSet);
		setIfOther(context.markers, state.markers);
		if (state.dock) this.dock.set(state.dock);
		this.address.forget();
	}
}
