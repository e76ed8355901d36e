// SPDX-License-Identifier: Apache-2.0
// Names too long for their place lose their middle: ranks and steps differ at the end. Pure.

const TAIL = 8; // characters that always stay; an id and a rank's number
const SHORT = 16; // fits everywhere

// Never between the halves of one character.
const lettersOf = (name: string): string[] => Array.from(name);

/** The part that may be cut and the tail that stays. Together they are the name. */
export function cutParts(name: string): [head: string, tail: string] {
	const letters = lettersOf(name);
	if (letters.length <= SHORT) return [name, ""];
	return [letters.slice(0, -TAIL).join(""), letters.slice(-TAIL).join("")];
}

/** For places that cannot measure, such as the title of a browser's tab. */
export function cutText(name: string, most: number): string {
	const letters = lettersOf(name);
	if (letters.length <= most) return name;
	const tail = Math.min(TAIL, most - 2);
	return `${letters.slice(0, most - tail - 1).join("")}…${letters.slice(-tail).join("")}`;
}
