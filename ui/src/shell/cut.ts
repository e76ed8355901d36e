// SPDX-License-Identifier: Apache-2.0
// Shortens long names in the middle, because ranks and steps differ at the end.

const TAIL = 8; // characters that are always shown: an id and a rank's number
const SHORT = 16; // fits everywhere

const lettersOf = (name: string): string[] => Array.from(name); // keeps surrogate pairs together

/** Splits a name into a head that CSS may cut and a tail that is always shown. */
export function cutParts(name: string): [head: string, tail: string] {
	const letters = lettersOf(name);
	if (letters.length <= SHORT) return [name, ""];
	return [letters.slice(0, -TAIL).join(""), letters.slice(-TAIL).join("")];
}

/** For places without CSS, such as the document's title. */
export function cutText(name: string, most: number): string {
	const letters = lettersOf(name);
	if (letters.length <= most) return name;
	const tail = Math.min(TAIL, most - 2);
	return `${letters.slice(0, most - tail - 1).join("")}…${letters.slice(-tail).join("")}`;
}
