// SPDX-License-Identifier: Apache-2.0
// Loads data in a component: again when the inputs change, aborted when the component unmounts. A
// delay avoids a request for every step of a drag.

import { useEffect, useState } from "preact/hooks";

export type Load<T> =
	| { state: "loading"; before: T | undefined }
	| { state: "ready"; value: T }
	| { state: "failed"; sentence: string; again: () => void };

export function useLoad<T>(ask: (signal: AbortSignal) => Promise<T>, inputs: unknown[],
	delayMs = 0): Load<T> {
	const [load, setLoad] = useState<Load<T>>({ state: "loading", before: undefined });
	const [attempt, setAttempt] = useState(0);
	useEffect(() => {
		const giveUp = new AbortController();
		setLoad((now) => ({
			state: "loading",
			before: now.state === "ready" ? now.value : now.state === "loading" ? now.before : undefined,
		}));
		const timer = setTimeout(() => {
			ask(giveUp.signal).then(
				(value) => giveUp.signal.aborted || setLoad({ state: "ready", value }),
				(failure: unknown) => giveUp.signal.aborted || setLoad({
					state: "failed", sentence: sentenceOf(failure),
					again: () => setAttempt((count) => count + 1),
				}));
		}, delayMs);
		return () => {
			clearTimeout(timer);
			giveUp.abort();
		};
	}, [...inputs, attempt]);
	return load;
}

export function sentenceOf(failure: unknown): string {
	return failure instanceof Error ? failure.message : String(failure);
}

/** The value, or the previous one during a reload. */
export function valueOf<T>(load: Load<T>): T | undefined {
	return load.state === "ready" ? load.value : load.state === "loading" ? load.before : undefined;
}
