// SPDX-License-Identifier: Apache-2.0
// The initial view of a timeline: the events, not the samples around them. Load and memory of a
// machine may be recorded for minutes around a few milliseconds of events. Pure.

import type { Track } from "../api/types.ts";
import type { View } from "../contract.ts";
import { clampView } from "./view.ts";

const MARGIN = 0.02; // of what happened, on each side
/** An end this many times as far away as all starts belongs to an event that never ended. */
const LONG_END = 3;
const REST = 0.1; // that is shown of such an end

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

/** What "fit" shows: what happened, and when that is shown already, everything. */
export const fitOf = (now: View, home: View, endNs: number): View =>
	(isSameView(now, home) ? wholeView(endNs) : home);
