// SPDX-License-Identifier: Apache-2.0
// Markers, regions, and their file format.

import test from "node:test";
import assert from "node:assert/strict";
import {
	baseOf, decompose, fromDocument, inUnit, makeMarker, makeRegion, parseTime, regionsOf, toDocument,
} from "../src/panels/annotations/annotations_model.ts";

const marker = (id: string, timeNs: number, diffTo: string | null = null) =>
	({ id, name: id, timeNs, colour: "#e69f00", diffTo });

test("times are formatted and parsed in the chosen unit", () => {
	assert.equal(inUnit(1234567, "ns"), "1,234,567");
	assert.equal(inUnit(1234567, "µs"), "1,234.567");
	assert.equal(inUnit(1500000, "ms"), "1.5");
	assert.equal(parseTime("1.5", "ms"), 1_500_000);
	assert.equal(parseTime("1,234 ns", "ms"), 1234);
	assert.equal(parseTime("2us", "ns"), 2000);
	assert.equal(parseTime("soon", "ns"), null);
});

test("a marker is measured from the previous one, or from the one it names", () => {
	const markers = [marker("b", 20), marker("a", 10), marker("c", 30, "a")];
	assert.equal(baseOf(markers, markers[0]!)?.id, "a");
	assert.equal(baseOf(markers, markers[1]!), null);
	assert.equal(baseOf(markers, markers[2]!)?.id, "a");
	assert.equal(baseOf(markers, marker("c", 30, "gone")), baseOf(markers, marker("c", 30)));
});

test("regions are pairs of markers that can be split", () => {
	const markers = [...makeRegion([], 50, 10), makeMarker([], 5)];
	const [region] = regionsOf(markers);
	assert.equal(region?.name, "Region 1");
	assert.equal(region?.from.timeNs, 10);
	const apart = decompose(markers, region!);
	assert.deepEqual(regionsOf(apart), []);
	assert.equal(apart[1]?.diffTo, apart[0]?.id);
});

test("saved markers are restored exactly", () => {
	const origin = 1773237645742008195n;
	const kept = JSON.parse(JSON.stringify(toDocument([marker("a", 123456789)], origin))) as unknown;
	assert.deepEqual(fromDocument(kept, origin), [marker("a", 123456789)]);
});

test("foreign documents are rejected with a message", () => {
	assert.throws(() => fromDocument({}, 0n), /no list of markers/);
	assert.throws(() => fromDocument({ markers: [{ time_ns: 1.5 }] }, 0n), /Marker 1 has no time/);
	assert.equal(fromDocument({ markers: [{ time_ns: "5", colour: "url(x)" }] }, 0n)[0]?.colour, "#e69f00");
});
