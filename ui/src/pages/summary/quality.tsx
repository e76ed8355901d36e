// SPDX-License-Identifier: Apache-2.0
// What the capture lacks: a badge above the numbers, and a grey mark beside each that is in doubt.

import type { ProfileContext } from "../../contract.ts";
import { fetchTable, namedRows, text } from "../../panels/parts/data.ts";
import { useLoad } from "../../panels/parts/use_load.ts";
import { doubtsOf, reasonOf, type Doubt, type Topic } from "./quality_model.ts";

const known = new WeakMap<ProfileContext, Promise<Doubt[]>>();

/** Fetched once for all cards. */
function doubts(context: ProfileContext): Promise<Doubt[]> {
	let asked = known.get(context);
	if (!asked) {
		asked = fetchTable(context, "Warning", {}, new AbortController().signal)
			.then((page) => doubtsOf(namedRows(page).map((row) => text(row["message"]))));
		known.set(context, asked);
		asked.catch(() => known.delete(context)); // so that the next attempt retries
	}
	return asked;
}

function useDoubts(context: ProfileContext): Doubt[] {
	const load = useLoad(() => doubts(context), [context]);
	return load.state === "ready" ? load.value : [];
}

export function QualityBadge({ context }: { context: ProfileContext }) {
	const found = useDoubts(context);
	if (!found.length) return null;
	return <button type="button" class="sm-quality" title={found.map((one) => one.message).join("\n")}
		onClick={() => {
			context.openPanel("warnings");
			context.openProfile(context.name);
		}}>{found.length} {found.length === 1 ? "gap" : "gaps"} in the capture: numbers with{" "}
		<DoubtMark reason="Numbers with this mark are in doubt." /> are in doubt</button>;
}

function DoubtMark({ reason }: { reason: string }) {
	return <span class="sm-doubt" role="img" aria-label={`In doubt: ${reason}`}
		title={reason}>?</span>;
}

/** A grey mark if the capture lacks what a number of the topic needs. */
export function InDoubt({ context, topic }: { context: ProfileContext; topic: Topic }) {
	const reason = reasonOf(useDoubts(context), topic);
	return reason ? <DoubtMark reason={reason} /> : null;
}
