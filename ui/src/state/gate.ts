// SPDX-License-Identifier: Apache-2.0
// A gate between a panel and the shared stores. Panels on hidden tabs stay mounted, but must not
// query the server at every zoom: a closed gate holds changes back and delivers the latest when it
// opens.

import type { ProfileContext } from "../contract.ts";
import { createStore, type Store } from "../store.ts";

export function gatedStore<T>(source: Store<T>, isOpen: Store<boolean>): Store<T> {
	const seen = createStore(source.get());
	const pass = () => {
		if (isOpen.get()) seen.set(source.get());
	};
	// No unsubscribe: both live as long as the page's context.
	source.watch(pass);
	isOpen.watch(pass);
	return {
		get: () => (isOpen.get() ? source.get() : seen.get()),
		set: source.set,
		update: source.update,
		watch: seen.watch,
	};
}

export function gatedContext(context: ProfileContext, isOpen: Store<boolean>): ProfileContext {
	return {
		...context,
		view: gatedStore(context.view, isOpen),
		selected: gatedStore(context.selected, isOpen),
		hovered: gatedStore(context.hovered, isOpen),
		box: gatedStore(context.box, isOpen),
		search: gatedStore(context.search, isOpen),
		highlight: gatedStore(context.highlight, isOpen),
		markers: gatedStore(context.markers, isOpen),
		annotationSet: gatedStore(context.annotationSet, isOpen),
		settings: gatedStore(context.settings, isOpen),
	};
}
