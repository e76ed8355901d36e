// SPDX-License-Identifier: Apache-2.0
// Earlier queries, kept in the browser's storage; without storage, only until the page is left.

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

/** The list with this question first, once. */
function withQuestion(list: string[], sql: string): string[] {
	const question = sql.trim();
	return question ? [question, ...list.filter((one) => one !== question)].slice(0, MOST) : list;
}

export function remember(sql: string): string[] {
	kept = withQuestion(historyOf(), sql);
	try {
		localStorage.setItem(KEY, JSON.stringify(kept));
	} catch {
		// private windows may refuse; the list still holds while the page is open
	}
	return kept;
}
