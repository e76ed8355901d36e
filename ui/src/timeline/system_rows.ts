// SPDX-License-Identifier: Apache-2.0
// The rows of a system profile. Six ways to group events by the attributes of their tracks
// (instance, process, source, thread, core); a row may show several tracks.

import type { Track } from "../api/types.ts";
import { isShareOf, sharesOf, type Leaf } from "./rows.ts";

/** Where a track's events happened; unknown values are "". */
interface Place {
	instance: string;
	process: string;
	source: string;
	thread: string;
	threadName: string;
	core: string;
	physicalCore: string;
	worker: string;
	stream: string;
	isDevice: boolean;
}

function placeOf(track: Track, parent: Track | undefined): Place {
	const say = (...names: string[]) => {
		for (const name of names) {
			const text = track.attributes[name] ?? parent?.attributes[name];
			if (text !== undefined && text !== "") return text;
		}
		return "";
	};
	const source = say("trace_event_source", "source");
	// In older profiles only the group's name has instance and process.
	const named = /^(\S+)(?: pid (\d+))?/.exec(parent?.name ?? "");
	return {
		instance: say("instance_id") || (named?.[1] ?? ""),
		// Profiles of other tools have hosts, not processes.
		process: (say("process_id") || (named?.[2] ?? "")).replace(/^0$/, ""),
		source,
		thread: say("thread_id"),
		threadName: say("thread_name"),
		core: say("nc_idx", "lnc_idx"),
		physicalCore: say("pcore_idx"),
		worker: say("worker_gid"),
		stream: say("framework_stream_id", "stream_id"),
		isDevice: source === "neuron_hw",
	};
}

const NO_INSTANCE = "This machine";

const join = (...parts: string[]) => parts.filter((part) => part !== "").join("/");
const titled = (title: string, value: string) => (value === "" ? "" : `${title}:${value}`);

function defaultLeaf(place: Place): string {
	if (place.isDevice) {
		const core = place.physicalCore === "" ? `NC:${place.core}`
			: `NC${place.core}:${place.physicalCore}`;
		return join(place.source, core);
	}
	if (place.source === "framework" && place.stream !== "")
		return join(place.source, titled("Stream", place.stream));
	if (place.source === "neuron_rt" && place.core !== "")
		return join(place.source, titled("NC", place.core));
	return threadLabel(place);
}

/** Rows of another profiler's device have a plane and a line instead of a thread. */
const LINE = /^\/(?:device:(?:CUSTOM:)?)?/;

function threadLabel(place: Place): string {
	if (LINE.test(place.threadName)) return place.threadName.replace(LINE, "");
	if (place.threadName === "") return join(place.source, titled("TID", place.thread));
	// Many programs give all their threads one name.
	return join(place.source, place.threadName.includes(place.thread) ? place.threadName
		: `${place.threadName} ${titled("TID", place.thread)}`);
}

/** The labels of a track's group and row. */
function pathOf(place: Place, grouping: string): [string, string] {
	const instance = place.instance || NO_INSTANCE;
	const process = join(instance, titled("PID", place.process));
	switch (grouping) {
		case "cpu_device": {
			const where = place.isDevice
				? titled("Worker", place.worker || place.core) || "Worker:?"
				: titled("TID", place.thread);
			return [`${place.isDevice ? "Device" : "CPU"} · ${process}`, join(where, place.source)];
		}
		case "core": return [instance, place.core === "" ? "No core" : `NC:${place.core}`];
		case "thread": return [process, titled("TID", place.thread) || "No thread"];
		case "process": return [instance, titled("PID", place.process) || "No process"];
		case "instance": return ["", instance];
		default: return [process, defaultLeaf(place)];
	}
}

const isTransfer = (track: Track) => track.attributes["direction"] !== undefined ||
	/host_to_device|device_to_host/i.test(track.name);

const isStep = (track: Track) => track.table === "Step";
const isGap = (track: Track) => track.table === "ExecutionGap";

/** Groups of more transfers than this start folded, because they repeat what the calls show. */
const MANY_TRANSFERS = 12;
const MANY_GAPS = 16;

/** In the notation of the runtime's tools: device, then memory. */
function memoryLabel(track: Track): string {
	const [, device, stack] = /device (\d+) stack (\d+)/.exec(track.name) ?? [];
	if (device === undefined) return track.name.charAt(0).toUpperCase() + track.name.slice(1);
	return `ND:${device}/HBM:${stack}/neuron_hbm_usage`;
}

/** The row of a counter or a transfer, which is the same in every grouping. */
function resourceLeaf(track: Track, place: Place, shares: Track[]): Leaf {
	const instance = place.instance || NO_INSTANCE;
	const leaf = (group: string, label: string, foldAbove?: number): Leaf => ({
		group, label, key: `${group}/${label}`, tracks: [track], shares,
		...(foldAbove === undefined ? {} : { foldAbove }),
	});
	if (isGap(track)) {
		const process = [titled("PID", place.process), instance].filter(Boolean).join(" · ");
		const what = track.kind === "spans" ? "gaps" : "gap length";
		return leaf(`Execution gaps · ${process}`, join(titled("NC", place.core), what), MANY_GAPS);
	}
	if (isTransfer(track)) {
		const what = track.name.replace(/ nc \d+$/, "");
		// The process comes first, because long titles are cut at the end.
		const process = [titled("PID", place.process), instance].filter(Boolean).join(" · ");
		return leaf(`Transfers · ${process}`, join(titled("NC", place.core), what), MANY_TRANSFERS);
	}
	// Processors always start folded: there are hundreds.
	if (track.name.startsWith("CPU ")) return leaf(`Processors · ${instance}`, track.name, 0);
	return leaf(`Resources · ${instance}`, memoryLabel(track));
}

export function systemLeaves(tracks: Track[], grouping: string): Leaf[] {
	const byId = new Map(tracks.map((track) => [track.id, track]));
	const leaves = new Map<string, Leaf>();
	const resources: Leaf[] = [];
	const shares = sharesOf(tracks);
	for (const track of tracks) {
		const parent = track.parent === null ? undefined : byId.get(track.parent);
		if (track.kind === "group" || isShareOf(track, parent)) continue;
		const place = placeOf(track, parent);
		if (track.kind === "counter" || isTransfer(track) || isGap(track)) {
			resources.push(resourceLeaf(track, place, shares.get(track.id) ?? []));
			continue;
		}
		const [group, own] = pathOf(place, isStep(track) ? "default" : grouping);
		const label = isStep(track) ? `Steps/${track.attributes["name"] ?? ""}` : own || track.name;
		const key = join(group, label);
		const leaf = leaves.get(key);
		if (leaf) leaf.tracks.push(track);
		else leaves.set(key, { group, label, key, tracks: [track], isPacked: true });
	}
	const calls = [...leaves.values()];
	for (const leaf of calls) {
		const source = sourceOf(leaf.tracks);
		if (source) leaf.source = source;
	}
	const rankOf = (leaf: Leaf) => (grouping === "default" ? threadRank(leaf) : leaf.label);
	calls.sort((a, b) => compareTexts(a.group, b.group) || sourceRank(a) - sourceRank(b) ||
		compareTexts(coreRank(a), coreRank(b)) || compareTexts(rankOf(a), rankOf(b)));
	resources.sort((a, b) => compareTexts(groupRank(a), groupRank(b)) ||
		compareTexts(transferRank(a), transferRank(b)) || compareTexts(a.label, b.label));
	return [...calls, ...resources];
}

/** The source of a row's events; undefined if there are several. */
function sourceOf(tracks: Track[]): string | undefined {
	const source = tracks[0]?.attributes["trace_event_source"];
	const isOne = tracks.every((track) => track.attributes["trace_event_source"] === source);
	return isOne ? source : undefined;
}

/** Callers come first: the framework calls the runtime, which starts the hardware. */
const SOURCES = ["framework", "neuron_rt", "neuron_hw"];

/** The steps of a process come above its calls. */
function sourceRank({ tracks }: Leaf): number {
	if (tracks.some(isStep)) return -1;
	const found = tracks.map((track) =>
		SOURCES.indexOf(track.attributes["trace_event_source"] ?? ""));
	return Math.min(...found.map((at) => (at < 0 ? SOURCES.length : at)));
}

/** A logical core comes before its physical cores. */
function coreRank({ source, tracks: [track] }: Leaf): string {
	const { nc_idx: core, pcore_idx: part } = track?.attributes ?? {};
	return source === "neuron_hw" ? `${core ?? ""}/${part ?? ""}` : "";
}

/** Threads come in the order of their numbers, in which they were usually started. */
function threadRank({ label, source, tracks: [track] }: Leaf): string {
	const { thread_name: name, thread_id: thread } = track?.attributes ?? {};
	if (name === undefined || thread === undefined) return label;
	return join(source ?? "", titled("TID", thread));
}

/** By core, then host to device before device to host, then transfers before rates. */
function transferRank({ tracks: [track] }: Leaf): string {
	const { nc_idx: core, direction } = track?.attributes ?? {};
	if (!direction) return "";
	const way = direction === "host_to_device" ? 0 : 1, what = track!.kind === "spans" ? 0 : 1;
	return `${core ?? ""}/${way}/${what}`;
}

/** Gaps, then transfers, then memory, then processors, each by instance. */
const groupRank = ({ group }: Leaf) => `${["Execution gaps", "Transfers", "Resources", "Processors"]
	.findIndex((title) => group.startsWith(title))} ${group}`;

/** Sorts TID:9 before TID:10. */
const { compare: compareTexts } = new Intl.Collator("en", { numeric: true });
