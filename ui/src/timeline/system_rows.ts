// SPDX-License-Identifier: Apache-2.0
// The rows of a system profile: six ways to group events, by the attributes of their tracks
// (instance, process, source, thread, core). A row may show several tracks. Pure.

import type { Track } from "../api/types.ts";
import { isShareOf, sharesOf, type Leaf } from "./rows.ts";

export const GROUPINGS: { id: string; label: string }[] = [
	{ id: "default", label: "Default" },
	{ id: "cpu_device", label: "CPU and device" },
	{ id: "core", label: "NeuronCore" },
	{ id: "thread", label: "Thread" },
	{ id: "process", label: "Process" },
	{ id: "instance", label: "Instance" },
];

/** What is known of where a track's events happened; "" where it is not. */
interface Place {
	instance: string;
	process: string;
	source: string;
	thread: string;
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
	// the group's name has both where a profile is older than attributes
	const named = /^(\S+)(?: pid (\d+))?/.exec(parent?.name ?? "");
	return {
		instance: say("instance_id") || (named?.[1] ?? ""),
		process: say("process_id") || (named?.[2] ?? ""),
		source,
		thread: say("thread_id"),
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

/** A thread of the framework, a stream of it, a logical core of the runtime, a physical one. */
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
	return join(place.source, titled("TID", place.thread));
}

/** Where a track goes: the group's label and the row's. */
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

/** Groups of more transfers than this begin folded: they repeat what the calls show. */
const MANY_TRANSFERS = 12;

/** As the runtime's own tools call it: device, then memory. */
function memoryLabel(track: Track): string {
	const [, device, stack] = /device (\d+) stack (\d+)/.exec(track.name) ?? [];
	if (device === undefined) return track.name.charAt(0).toUpperCase() + track.name.slice(1);
	return `ND:${device}/HBM:${stack}/neuron_hbm_usage`;
}

/** Samples and transfers are not calls: they keep rows of their own in every grouping. */
function resourceLeaf(track: Track, place: Place, shares: Track[]): Leaf {
	const instance = place.instance || NO_INSTANCE;
	const leaf = (group: string, label: string, foldAbove?: number): Leaf => ({
		group, label, key: `${group}/${label}`, tracks: [track], shares,
		...(foldAbove === undefined ? {} : { foldAbove }),
	});
	if (isTransfer(track)) {
		const what = track.name.replace(/ nc \d+$/, "");
		// of long titles the beginning is seen, and processes differ by their numbers
		const process = [titled("PID", place.process), instance].filter(Boolean).join(" · ");
		return leaf(`Transfers · ${process}`, join(titled("NC", place.core), what), MANY_TRANSFERS);
	}
	// processors are shown only on request: there are hundreds
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
		if (track.kind === "counter" || isTransfer(track)) {
			resources.push(resourceLeaf(track, place, shares.get(track.id) ?? []));
			continue;
		}
		const [group, own] = pathOf(place, grouping);
		const label = own || track.name;
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
	calls.sort((a, b) => compareTexts(a.group, b.group) || sourceRank(a) - sourceRank(b) ||
		compareTexts(coreRank(a), coreRank(b)) || compareTexts(a.label, b.label));
	resources.sort((a, b) => compareTexts(groupRank(a), groupRank(b)) ||
		compareTexts(transferRank(a), transferRank(b)) || compareTexts(a.label, b.label));
	return [...calls, ...resources];
}

/** The source of a row's events; none if there are several. */
function sourceOf(tracks: Track[]): string | undefined {
	const source = tracks[0]?.attributes["trace_event_source"];
	const isOne = tracks.every((track) => track.attributes["trace_event_source"] === source);
	return isOne ? source : undefined;
}

/** The framework calls the runtime, which starts the hardware: callers stand above. */
const SOURCES = ["framework", "neuron_rt", "neuron_hw"];

function sourceRank({ tracks }: Leaf): number {
	const found = tracks.map((track) =>
		SOURCES.indexOf(track.attributes["trace_event_source"] ?? ""));
	return Math.min(...found.map((at) => (at < 0 ? SOURCES.length : at)));
}

/** What a core did as a whole stands above what each of its parts did. */
function coreRank({ source, tracks: [track] }: Leaf): string {
	const { nc_idx: core, pcore_idx: part } = track?.attributes ?? {};
	return source === "neuron_hw" ? `${core ?? ""}/${part ?? ""}` : "";
}

/** By core; to the device before back, and what was sent before how fast. */
function transferRank({ tracks: [track] }: Leaf): string {
	const { nc_idx: core, direction } = track?.attributes ?? {};
	if (!direction) return "";
	const way = direction === "host_to_device" ? 0 : 1, what = track!.kind === "spans" ? 0 : 1;
	return `${core ?? ""}/${way}/${what}`;
}

/** Transfers first, then memory, then processors, of one instance after the other. */
const groupRank = ({ group }: Leaf) => `${["Transfers", "Resources", "Processors"]
	.findIndex((title) => group.startsWith(title))} ${group}`;

/** Numbers inside texts count as numbers: TID:9 stands before TID:10. */
function compareTexts(a: string, b: string): number {
	return COLLATOR.compare(a, b);
}

const COLLATOR = new Intl.Collator("en", { numeric: true });
