// SPDX-License-Identifier: Apache-2.0
// Sizes, counts and times as text, for lists of profiles.

import { formatInteger } from "../format.ts";

const BINARY = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

export function bytesText(bytes: number): string {
	let unit = 0;
	let value = Math.max(0, bytes);
	// 1023.95 would be rounded to 1024.0.
	while (value >= 1023.95 && unit < BINARY.length - 1) {
		value /= 1024;
		unit++;
	}
	return `${unit ? value.toFixed(value < 99.95 ? 1 : 0) : Math.round(value)} ${BINARY[unit]}`;
}


export const pluralText = (count: number, one: string): string =>
	`${formatInteger(count)} ${one}${count === 1 ? "" : "s"}`;

const AGO: [string, number][] = [
	["year", 31_557_600], ["month", 2_629_800], ["day", 86_400], ["hour", 3600], ["minute", 60],
];

/** "3 hours ago"; 0 means never. */
export function agoText(ms: number, nowMs: number): string {
	if (!ms) return "Never";
	const seconds = Math.max(0, (nowMs - ms) / 1000);
	for (const [unit, size] of AGO) {
		if (seconds >= size) return `${pluralText(Math.floor(seconds / size), unit)} ago`;
	}
	return "Just now";
}

export function momentText(ms: number): string {
	return ms ? new Date(ms).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })
		: "";
}

/** "2 min 5 s". */
export function waitText(seconds: number): string {
	if (!Number.isFinite(seconds)) return "";
	const whole = Math.max(1, Math.ceil(seconds));
	if (whole < 60) return `${whole} s`;
	if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
	return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
