// SPDX-License-Identifier: Apache-2.0
// Lists of numbers as text: "1, 4, 24-30".

const MOST = 256;

/** Ignores what is not a number. */
export function parseRanges(text: string): number[] {
	const numbers = new Set<number>();
	for (const [, from, to] of text.matchAll(/(\d{1,6})(?:\s*[-–]\s*(\d{1,6}))?/g)) {
		const first = Number(from), last = to === undefined ? first : Number(to);
		for (let one = first; one <= last && numbers.size < MOST; one++) numbers.add(one);
	}
	return [...numbers].sort((a, b) => a - b);
}

/** [1, 4, 5, 6] is "1, 4-6". */
export function rangesText(numbers: number[]): string {
	const sorted = [...numbers].sort((a, b) => a - b);
	const parts: string[] = [];
	for (let i = 0; i < sorted.length;) {
		let last = i;
		while (last + 1 < sorted.length && sorted[last + 1] === sorted[last]! + 1) last++;
		parts.push(last > i ? `${sorted[i]}-${sorted[last]}` : String(sorted[i]));
		i = last + 1;
	}
	return parts.join(", ");
}
