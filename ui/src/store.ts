// SPDX-License-Identifier: Apache-2.0
// A store: a value that can be watched. State shared by several parts of a page is in stores; other
// state belongs to its component.

import { useEffect, useState } from "preact/hooks";

export interface Store<T> {
	get(): T;
	set(next: T): void;
	update(change: (now: T) => T): void;
	/** Calls the listener after each change; returns a function that unsubscribes. */
	watch(listener: (now: T, before: T) => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
	let value = initial;
	const listeners = new Set<(now: T, before: T) => void>();
	const set = (next: T) => {
		if (Object.is(next, value)) return;
		const before = value;
		value = next;
		for (const listener of Array.from(listeners)) listener(value, before);
	};
	return {
		get: () => value,
		set,
		update: (change) => set(change(value)),
		watch(listener) {
			listeners.add(listener);
			return () => void listeners.delete(listener);
		},
	};
}

/** The store's value, or the selected part; the component rerenders when it changes. */
export function useStore<T, Part = T>(store: Store<T>, select?: (value: T) => Part): Part {
	const pick = select ?? ((value: T) => value as unknown as Part);
	const [part, setPart] = useState<Part>(() => pick(store.get()));
	useEffect(() => {
		const take = () => setPart(() => pick(store.get()));
		take();
		return store.watch(take);
	}, [store]);
	return part;
}
