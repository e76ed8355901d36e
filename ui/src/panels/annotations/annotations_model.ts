// SPDX-License-Identifier: Apache-2.0
// Markers and regions: differences, order, names, and their file format. A region is two markers
// with ids such as "region:7:from" and "region:7:to".

import type { Marker } from "../../contract.ts";
import { formatInteger } from "../../format.ts";

/** Safe for red-green colour blindness. */
export const COLOURS = ["#e69f00", "#3b8fd1", "#1aa681", "#cc79a7", "#d5672a", "#7d6fd0",
	"#b5a51b"];

export type TimeUnit = "ns" | "µs" | "ms" | "s";
const FACTOR: Record<TimeUnit, number> = { ns: 1, "µs": 1e3, ms: 1e6, s: 1e9 };
const DIGITS: Record<TimeUnit, number> = { ns: 0, "µs": 3, ms: 6, s: 9 };

export function inUnit(ns: number, unit: TimeUnit): string {
	const fixed = (ns / FACTOR[unit]).toFixed(DIGITS[unit]);
	const [whole = "0", part] = fixed.split(".");
	const rest = part?.replace(/0+$/, "");
	return formatInteger(whole) + (rest ? `.${rest}` : "");
}

/** Parses a time to nanoseconds; a unit in the text overrides the given one. */
export function parseTime(typed: string, unit: TimeUnit): number | null {
	const match = /^\s*(-?[\d,]*\.?\d+)\s*(ns|us|µs|ms|s)?\s*$/.exec(typed);
	if (!match) return null;
	const value = Number((match[1] ?? "").replaceAll(",", ""));
	const named = (match[2] === "us" ? "µs" : match[2]) as TimeUnit | undefined;
	return Number.isFinite(value) ? value * FACTOR[named ?? unit] : null;
}

export const sorted = (markers: Marker[]): Marker[] =>
	[...markers].sort((a, b) => a.timeNs - b.timeNs || (a.id < b.id ? -1 : 1));

/** The marker that a marker is measured from: diffTo, else the previous one. */
export function baseOf(markers: Marker[], marker: Marker): Marker | null {
	if (marker.diffTo) {
		const named = markers.find((one) => one.id === marker.diffTo);
		if (named) return named;
	}
	const inOrder = sorted(markers);
	return inOrder[inOrder.findIndex((one) => one.id === marker.id) - 1] ?? null;
}

function nextName(markers: Marker[], word: string): string {
	const taken = new Set(markers.map((one) => one.name));
	for (let i = 1; ; i++) if (!taken.has(`${word} ${i}`)) return `${word} ${i}`;
}

let lastId = 0;
const freshId = () => `${Date.now().toString(36)}${(++lastId).toString(36)}`;

export function makeMarker(markers: Marker[], timeNs: number): Marker {
	return { id: freshId(), name: nextName(markers, "Marker"), timeNs,
		colour: COLOURS[markers.length % COLOURS.length] ?? "#e69f00", diffTo: null };
}

export interface Region {
	id: string;
	name: string;
	from: Marker;
	to: Marker;
}

export function makeRegion(markers: Marker[], fromNs: number, toNs: number): [Marker, Marker] {
	const id = freshId();
	const names = new Set(regionsOf(markers).map((region) => region.name));
	let name = "";
	for (let i = 1; !name || names.has(name); i++) name = `Region ${i}`;
	const colour = COLOURS[markers.length % COLOURS.length] ?? "#e69f00";
	return [
		{ id: `region:${id}:from`, name: `${name} start`, timeNs: Math.min(fromNs, toNs), colour,
			diffTo: null },
		{ id: `region:${id}:to`, name: `${name} end`, timeNs: Math.max(fromNs, toNs), colour,
			diffTo: `region:${id}:from` },
	];
}

export function regionsOf(markers: Marker[]): Region[] {
	const regions: Region[] = [];
	for (const from of markers) {
		const id = /^region:(.+):from$/.exec(from.id)?.[1];
		const to = id && markers.find((one) => one.id === `region:${id}:to`);
		if (id && to) regions.push({ id, name: from.name.replace(/ start$/, ""), from, to });
	}
	return regions.sort((a, b) => a.from.timeNs - b.from.timeNs);
}

/** Turns the region's two markers into independent ones. */
export function decompose(markers: Marker[], region: Region): Marker[] {
	const renamed = (id: string) => id.startsWith(`region:${region.id}:`)
		? `was-${id.replaceAll(":", "-")}` : id;
	return markers.map((one) => ({ ...one, id: renamed(one.id),
		diffTo: one.diffTo === null ? null : renamed(one.diffTo) }));
}

/** Times are absolute, so that they stay valid if the capture is processed again. */
export function toDocument(markers: Marker[], originNs: bigint): object {
	return { version: 1, markers: sorted(markers).map((one) => ({ id: one.id, name: one.name,
		time_ns: String(originNs + BigInt(Math.round(one.timeNs))), colour: one.colour,
			diff_to: one.diffTo })) };
}

/** Throws if the document is not an annotation set. */
export function fromDocument(document: unknown, originNs: bigint): Marker[] {
	const list = (document as { markers?: unknown } | null)?.markers;
	if (!Array.isArray(list))
		throw new Error("This is not an annotation set: it has no list of markers.");
	return list.slice(0, 10_000).map((item: unknown, i) => {
		const one = (item ?? {}) as Record<string, unknown>;
		const time = String(one["time_ns"] ?? "");
		if (!/^-?\d{1,20}$/.test(time))
			throw new Error(`Marker ${i + 1} has no time in nanoseconds (time_ns).`);
		const colour = String(one["colour"] ?? "");
		return { id: String(one["id"] ?? `m${i}`),
			name: String(one["name"] ?? `Marker ${i + 1}`).slice(0, 200),
			timeNs: Number(BigInt(time) - originNs),
			colour: /^#[0-9a-f]{6}$/i.test(colour) ? colour : COLOURS[i % COLOURS.length]!,
			diffTo: typeof one["diff_to"] === "string" ? one["diff_to"] : null };
	});
}
