// SPDX-License-Identifier: Apache-2.0
// A value that can be watched. State that several parts of a page share is one of these;
// everything else belongs to the component that uses it.

import { useEffect, useState } from "preact/hooks";

export interface Store<T> {
	get(): T;
	set(next: T): void;
	update(change: (now: T) => T): void;
	/** Calls back after each change; returns what ends it. */
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

/** The store's value in a component, which rerenders when it (or the selected part) changes. */
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
