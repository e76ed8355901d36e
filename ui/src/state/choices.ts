// SPDX-License-Identifier: Apache-2.0
// Choices that the timeline's toolbar and the Settings panel offer, with one name for each.

import type { ColourBy } from "../contract.ts";

interface Choice<T extends string> {
	id: T;
	label: string;
}

/** How rows of a system profile are grouped. */
export const GROUPINGS: Choice<string>[] = [
	{ id: "default", label: "Default" },
	{ id: "cpu_device", label: "CPU and device" },
	{ id: "core", label: "NeuronCore" },
	{ id: "thread", label: "Thread" },
	{ id: "process", label: "Process" },
	{ id: "instance", label: "Instance" },
];

export const COLOURS: (Choice<ColourBy> & { isOfBoth?: boolean })[] = [
	{ id: "name", label: "Name", isOfBoth: true },
	{ id: "type", label: "Instruction type" },
	{ id: "engine", label: "Engine" },
	{ id: "layer", label: "Layer" },
	{ id: "operator", label: "Operator" },
	{ id: "core", label: "NeuronCore", isOfBoth: true },
	{ id: "track", label: "Row", isOfBoth: true },
	{ id: "none", label: "None", isOfBoth: true },
];

/** Spans of system profiles have no columns to colour by. */
export const coloursFor = (kind: "device" | "system") =>
	COLOURS.filter(({ isOfBoth }) => kind === "device" || isOfBoth);
