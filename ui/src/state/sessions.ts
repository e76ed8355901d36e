// SPDX-License-Identifier: Apache-2.0
// The sessions of a run: what to call them, where they lie on the timeline, and what was not
// recorded between them.

import type { Session } from "../api/types.ts";
import type { View } from "../contract.ts";
import { formatNs } from "../format.ts";

const KINDS: Record<Session["kind"], string> = {
	programmatic: "Programmatic", on_demand: "On demand", snapshot: "Snapshot",
};

export const kindText = (session: Session): string => KINDS[session.kind] ?? session.kind;

const hasTime = (session: Session) => session.end_ns !== "0";

/** "1.2 s", or "" if the session has no times. */
export const lengthText = (session: Session): string => hasTime(session)
	? formatNs(Number(BigInt(session.end_ns) - BigInt(session.start_ns)), 3) : "";

/** "1 of 2 hosts failed", or "". */
export const failureText = ({ failed_count, host_count }: Session): string => failed_count
	? `${failed_count} of ${host_count} hosts failed` : "";

/** Since the profile's origin; null if the session has no times. */
export function placeOf(session: Session, originNs: bigint): View | null {
	return hasTime(session) ? { fromNs: Number(BigInt(session.start_ns) - originNs),
		toNs: Number(BigInt(session.end_ns) - originNs) } : null;
}

export interface Gap extends View {
	text: string; // "not recorded, 3.2 s"
	next: string; // the session that ends it
}

/** Sessions may overlap, so a gap lies after all that came before. */
export function gapsOf(sessions: Session[], originNs: bigint): Gap[] {
	const gaps: Gap[] = [];
	let end: bigint | null = null;
	const inOrder = sessions.filter(hasTime).sort((a, b) =>
		Number(BigInt(a.start_ns) - BigInt(b.start_ns)));
	for (const session of inOrder) {
		const start = BigInt(session.start_ns);
		if (end !== null && start > end)
			gaps.push({ fromNs: Number(end - originNs), toNs: Number(start - originNs),
				text: `not recorded, ${formatNs(Number(start - end), 3)}`, next: session.name });
		if (end === null || BigInt(session.end_ns) > end) end = BigInt(session.end_ns);
	}
	return gaps;
}
