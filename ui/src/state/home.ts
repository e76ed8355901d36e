// SPDX-License-Identifier: Apache-2.0
// The initial view of a timeline: the time range of the events. CPU and memory samples may cover
// minutes around a few milliseconds of events.

import type { Track } from "../api/types.ts";
import type { View } from "../contract.ts";
import { clampView } from "./view.ts";

const MARGIN = 0.02; // on each side, as a fraction of the range
/** If the last end is this many times further away than the last start, an event never ended. */
const LONG_END = 3;
const REST = 0.1; // how much of such an event is shown

const isEvents = (track: Track) => track.kind === "spans" && track.first_ns !== undefined;

export const wholeView = (endNs: number): View => ({ fromNs: 0, toNs: Math.max(1, endNs) });

export function homeView(kind: "device" | "system", tracks: Track[], originNs: bigint,
	endNs: number): View {
	const events = kind === "system" ? tracks.filter(isEvents) : [];
	if (!events.length) return wholeView(endNs);
	const since = (text: string | undefined) => Number(BigInt(text ?? originNs) - originNs);
	const most = (of: (track: Track) => string | undefined) =>
		events.reduce((now, track) => Math.max(now, since(of(track))), 0);
	const fromNs = events.reduce((now, track) => Math.min(now, since(track.first_ns)), Infinity);
	const begunNs = Math.max(most((track) => track.last_start_ns), fromNs);
	const endedNs = most((track) => track.last_ns);
	const active = begunNs - fromNs;
	const isNeverEnded = active > 0 && endedNs - begunNs > LONG_END * active;
	const toNs = isNeverEnded ? begunNs + active * REST : endedNs;
	const room = (toNs - fromNs) * MARGIN;
	return clampView({ fromNs: fromNs - room, toNs: toNs + room }, endNs);
}

export const isSameView = (a: View, b: View) => a.fromNs === b.fromNs && a.toNs === b.toNs;

/** What "fit" shows: all events or, if they are shown already, the whole profile. */
export const fitOf = (now: View, home: View, endNs: number): View =>
	(isSameView(now, home) ? wholeView(endNs) : home);
