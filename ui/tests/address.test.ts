// SPDX-License-Identifier: Apache-2.0
// Which changes of a page add history entries.

import test from "node:test";
import assert from "node:assert/strict";
import { Address, type AddressBar } from "../src/state/address.ts";

function visit() {
	const entries = ["?a"];
	let shown = "a", time = 0;
	const bar: AddressBar = {
		query: () => entries.at(-1)!,
		put: (query, isNew) => void (isNew ? entries.push(query) : entries[entries.length - 1] = query),
	};
	const address = new Address<string>((goal) => `?${goal ?? shown}`, bar, () => time);
	return {
		address, entries,
		show: (what: string) => {
			shown = what;
			address.soon();
		},
		wait: (ms: number) => void (time += ms),
	};
}

test("small changes replace the entry", () => {
	const { address, entries, show } = visit();
	show("b");
	show("c");
	address.write(); // as the timer does
	assert.deepEqual(entries, ["?c"]);
});

test("a jump adds an entry before it arrives, and the previous entry is kept", () => {
	const { address, entries, show } = visit();
	show("b"); // not written yet
	address.beforeJump("z");
	assert.deepEqual(entries, ["?b", "?z"]);
	show("y"); // on the way
	show("z");
	address.write();
	assert.deepEqual(entries, ["?b", "?z"]);
	show("z2"); // panned there
	address.write();
	assert.deepEqual(entries, ["?b", "?z2"]);
});

test("a jump to the current view adds no entry, nor does the next change", () => {
	const { address, entries, show } = visit();
	address.beforeJump("a");
	show("b");
	address.write();
	assert.deepEqual(entries, ["?b"]);
});

test("a jump without a known goal starts with the first change", () => {
	const { address, entries, show } = visit();
	address.beforeJump();
	assert.deepEqual(entries, ["?a"]);
	show("selected");
	show("selected and there");
	address.write();
	assert.deepEqual(entries, ["?a", "?selected and there"]);
});

test("two quick jumps are one entry, later ones are not", () => {
	const { address, entries, show, wait } = visit();
	address.beforeJump("b");
	show("b");
	wait(150);
	address.beforeJump("c");
	show("c");
	assert.deepEqual(entries, ["?a", "?c"]);
	wait(1000);
	address.beforeJump("d");
	assert.deepEqual(entries, ["?a", "?c", "?d"]);
});

test("after Back no earlier change is written", () => {
	const { address, entries, show } = visit();
	address.beforeJump();
	address.forget();
	show("b");
	address.write();
	assert.deepEqual(entries, ["?b"]);
});
