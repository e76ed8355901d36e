// SPDX-License-Identifier: Apache-2.0
// The rows of a system profile: six ways to put events together, by what the tracks say of
// themselves (instance, process, source, thread, core). A row may show several tracks. Pure.

import type { Track } from "../api/types.ts";
import type { Leaf } from "./rows.ts";

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
	return {
		instance: say("instance_id"),
		process: say("process_id"),
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
		const core = place.physicalCore === "" ? `NC:${place.core}` : `NC${place.core}:${place.physicalCore}`;
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

const isTransfer = (track: Track) => /transfer|host_to_device|device_to_host/i.test(track.name);

export function systemLeaves(tracks: Track[], grouping: string): Leaf[] {
	const byId = new Map(tracks.map((track) => [track.id, track]));
	const leaves = new Map<string, Leaf>();
	const counters: Leaf[] = [];
	for (const track of tracks) {
		if (track.kind === "group") continue;
		const place = placeOf(track, track.parent === null ? undefined : byId.get(track.parent));
		// Samples and transfers are not calls: they keep rows of their own in every grouping.
		if (track.kind === "counter" || isTransfer(track)) {
			const group = `Resources · ${place.instance || NO_INSTANCE}`;
			const label = resourceLabel(track, place);
			counters.push({ group, label, key: `${group}/${label}`, tracks: [track] });
			continue;
		}
		const [group, own] = pathOf(place, grouping);
		const label = own || track.name;
		const key = join(group, label);
		const leaf = leaves.get(key);
		if (leaf) leaf.tracks.push(track);
		else leaves.set(key, { group, label, key, tracks: [track] });
	}
	const calls = [...leaves.values()];
	calls.sort((a, b) => compareTexts(a.group, b.group) || sourceRank(a) - sourceRank(b) ||
		compareTexts(a.label, b.label));
	return [...calls, ...counters];
}

/** The framework calls the runtime, which starts the hardware: callers stand above. */
function sourceRank(leaf: Leaf): number {
	const source = leaf.tracks[0]?.attributes["trace_event_source"];
	return source === "framework" ? 0 : source === "neuron_rt" ? 1 : source === "neuron_hw" ? 2 : 3;
}

function resourceLabel(track: Track, place: Place): string {
	const core = place.core === "" || /nc\W?\d/i.test(track.name) ? "" : `NC:${place.core}/`;
	return `${core}${track.name}`;
}

/** Numbers inside texts count as numbers: TID:9 stands before TID:10. */
export function compareTexts(a: string, b: string): number {
	return COLLATOR.compare(a, b);
}

const COLLATOR = new Intl.Collator("en", { numeric: true });
