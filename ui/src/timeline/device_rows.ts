// SPDX-License-Identifier: Apache-2.0
// The rows of a device profile, grouped by the kind of their tracks.

import type { Track } from "../api/types.ts";
import type { Settings } from "../contract.ts";
import { isShareOf, sharesOf, type Leaf } from "./rows.ts";

interface Section {
	key: string;
	label: string;
	inMinimalView?: boolean;
	foldAbove?: number; // with more rows than this the group starts folded
}

/** In display order. */
export const SECTIONS: Section[] = [
	{ key: "errors", label: "Errors", inMinimalView: true },
	{ key: "engines", label: "Engines", inMinimalView: true },
	{ key: "queues", label: "DMA queues" },
	{ key: "packets", label: "DMA packets", foldAbove: 4 },
	{ key: "collectives", label: "Collectives", inMinimalView: true },
	{ key: "memory", label: "Memory usage" },
	{ key: "throttling", label: "Throttling" },
	{ key: "semaphores", label: "Semaphores", foldAbove: 4 },
	{ key: "pending", label: "Pending DMA" },
	{ key: "throughput", label: "Throughput" },
	{ key: "utilisation", label: "Utilisation", inMinimalView: true },
	{ key: "other", label: "Other" },
];

const BY_TABLE: Record<string, string> = {
	Error: "errors", Instruction: "engines", DmaPacketAggregated: "queues", DmaPacket: "packets",
	CcOp: "collectives", CcInstruction: "collectives", CcStream: "collectives",
	CoreBarriers: "collectives", SbufUsage: "memory", PsumUsage: "memory", SbufAllocation: "memory",
	Throttle: "throttling", SemaphoreUpdate: "semaphores", PendingDma: "pending",
	DmaUsage: "throughput", HbmUsage: "throughput", ActiveTime: "utilisation",
};

/** For tracks that have no table, or one of another kind. */
const BY_NAME: [RegExp, string][] = [
	[/\b[mh]fu\b|\bflops\b|utili[sz]ation/i, "utilisation"],
	[/throughput|bandwidth/i, "throughput"],
	[/pending/i, "pending"],
	[/semaphore/i, "semaphores"],
	[/throttl/i, "throttling"],
	[/usage/i, "memory"],
	[/cc-?core|collective|barrier/i, "collectives"],
	[/error/i, "errors"],
	[/dma|queue/i, "queues"],
];

export const ENGINES = ["Sync", "Tensor", "TensorMatrix", "Vector", "Scalar", "GpSimd"];

function sectionOf(track: Track): string {
	// Counters derived from instructions are not engines.
	const saysTable = track.table !== null &&
		(track.kind !== "counter" || track.table !== "Instruction");
	const known = saysTable ? BY_TABLE[track.table!] : undefined;
	return known ?? BY_NAME.find(([pattern]) => pattern.test(track.name))?.[1] ?? "other";
}

/** The physical core of a track, or -1. */
export function coreOf(track: Track, parent: Track | undefined): number {
	const text = track.attributes["pcore_idx"] ?? parent?.attributes["pcore_idx"] ??
		/core (\d+)/.exec(parent?.name ?? "")?.[1];
	return text === undefined || text === "" ? -1 : Number(text);
}

export function engineOf(track: Track): string {
	const text = track.attributes["timeline_track"] ?? track.attributes["engine"] ?? track.name;
	return ENGINES.find((engine) => text.replace(/\(.*/, "") === engine) ?? text;
}

/** The label without words that repeat the section's title. */
function labelOf(track: Track, section: string): string {
	if (section === "queues") return track.name.replace(/^transfers /, "");
	// These rates are shown as a share of the peak.
	if (track.name === "model FLOPS") return "MFU";
	if (track.name === "hardware FLOPS") return "HFU";
	if (section === "semaphores") return track.name.replace(/^semaphore /, "Semaphore ");
	return track.name.charAt(0).toUpperCase() + track.name.slice(1);
}

/** The label of a row shared by several tracks (errors, packets of a queue or engine), or null. */
function sharedLabelOf(track: Track, section: string,
	dmaBy: DeviceChoices["dmaBy"]): string | null {
	if (section === "errors") return "Errors";
	if (section !== "packets") return null;
	const queue = track.attributes["queue_name"], engine = track.attributes["engine_idx"];
	if (dmaBy === "engine") return engine === undefined ? null : `E${engine}`;
	return queue ?? "No queue";
}

/** The number of a semaphore: "24", or "S[24] (qSyncIO0)". */
const semaphoreOf = (track: Track) =>
	Number(/\d+/.exec(track.attributes["id"] ?? track.name)?.[0] ?? NaN);

/** Rates that also get a cumulative row. */
const hasCumulative = (track: Track, section: string) => track.kind === "counter" &&
	(section === "throughput" || (section === "utilisation" && (track.unit === "FLOP/s" ||
		/\b[mh]fu\b/i.test(track.name))));

export type DeviceChoices = Pick<Settings, "dmaBy" | "coreOrder" | "semaphores" | "showCumulative">;

interface RankedLeaf extends Leaf {
	rank: number[];
}

export function deviceLeaves(tracks: Track[], choices: DeviceChoices): Leaf[] {
	const byId = new Map(tracks.map((track) => [track.id, track]));
	const parentOf = (track: Track) => track.parent === null ? undefined : byId.get(track.parent);
	const shares = sharesOf(tracks);
	const shown = tracks.filter((track) => track.kind !== "group" &&
		!isShareOf(track, parentOf(track)) && isChosen(track, choices));
	const cores = new Set(shown.map((track) => coreOf(track, parentOf(track))));
	cores.delete(-1);
	const leaves: RankedLeaf[] = [];
	const shared = new Map<string, RankedLeaf>();
	shown.forEach((track, index) => {
		const section = sectionOf(track);
		const core = coreOf(track, parentOf(track));
		const suffix = cores.size > 1 && core >= 0 ? ` (nc${core})` : "";
		const common = sharedLabelOf(track, section, choices.dmaBy);
		const label = (common ?? labelOf(track, section)) + suffix;
		const key = `${section}/${label}`;
		const known = common === null ? undefined : shared.get(key);
		if (known) return void known.tracks.push(track);
		const engine = section === "engines" ? ENGINES.indexOf(engineOf(track)) : 0;
		const leaf: RankedLeaf = {
			group: section, label, key, tracks: [track], shares: shares.get(track.id) ?? [],
			beginsFolded: common !== null,
			rank: [
				SECTIONS.findIndex((one) => one.key === section),
				choices.coreOrder === "last" ? -core : core,
				engine < 0 ? ENGINES.length : engine, index,
			],
		};
		leaves.push(leaf);
		if (common !== null) shared.set(key, leaf);
		if (choices.showCumulative && hasCumulative(track, section)) leaves.push(cumulativeOf(leaf));
	});
	leaves.sort((a, b) => compareRanks(a.rank, b.rank));
	return leaves;
}

function cumulativeOf(leaf: RankedLeaf): RankedLeaf {
	// Short, because there is little room for labels.
	const label = `Cumulative ${leaf.label.replace(/^Estimated instant | throughput\b/gi, "")}`;
	return {
		...leaf, label, key: `${leaf.group}/${label}`, shares: [], isCumulative: true,
		rank: [...leaf.rank.slice(0, -1), leaf.rank[leaf.rank.length - 1]! + 0.5],
	};
}

function isChosen(track: Track, { semaphores }: DeviceChoices): boolean {
	return !semaphores.length || sectionOf(track) !== "semaphores" ||
		semaphores.includes(semaphoreOf(track));
}

function compareRanks(a: number[], b: number[]): number {
	for (let i = 0; i < a.length; i++)
		if (a[i] !== b[i]) return a[i]! - b[i]!;
	return 0;
}
