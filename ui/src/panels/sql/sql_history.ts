// SPDX-License-Identifier: Apache-2.0
// Previous queries, kept in the browser's storage or, without storage, while the page is open.

const KEY = "neuron-explorer.sql";
const MOST = 50;
let kept: string[] | null = null;

export function historyOf(): string[] {
	if (kept) return kept;
	try {
		const parsed: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
		kept = Array.isArray(parsed) ? parsed.filter((one): one is string => typeof one === "string")
			: [];
	} catch {
		kept = [];
	}
	return kept;
}

/** Moves the query to the front of the history. */
export function remember(sql: string): string[] {
	const query = sql.trim();
	const others = historyOf().filter((one) => one !== query);
	kept = query ? [query, ...others].slice(0, MOST) : others;
	try {
		localStorage.setItem(KEY, JSON.stringify(kept));
	} catch {
		// no storage in private windows
	}
	return kept;
}
