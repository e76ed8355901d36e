// SPDX-License-Identifier: Apache-2.0
// Colours are stable, evenly distributed and readable.

import test from "node:test";
import assert from "node:assert/strict";
import {
	columnOf, HUE_COUNT, hashText, hueOfAll, hueOfText, luminanceOf, mixColours, NO_VALUE, operatorOf, paintsOf,
} from "../src/timeline/colours.ts";
import { commandOf } from "../src/timeline/keys.ts";
import { coloursFor } from "../src/state/choices.ts";
import { fitText } from "../src/timeline/texts.ts";
import { valueText } from "../src/timeline/values.ts";
import type { Track } from "../src/api/types.ts";

/** Contrast ratio of WCAG 2. */
function contrastOf(a: string, b: string): number {
	const [high, low] = [luminanceOf(a), luminanceOf(b)].sort((x, y) => y - x);
	return (high! + 0.05) / (low! + 0.05);
}

test("a name always has the same colour", () => {
	assert.equal(hashText("MATMUL"), hashText("MATMUL"));
	assert.equal(hueOfText("MATMUL"), 7); // changing it would repaint everybody's pictures
	assert.equal(hueOfText(""), NO_VALUE);
	assert.equal(hueOfText("Unknown"), NO_VALUE);
});

test("names that occur together have different colours", () => {
	const sets = [
		["MATMUL", "LDWEIGHTS", "ACTIVATE", "TENSOR_TENSOR", "TENSOR_SCALAR", "TENSOR_REDUCE", "COPY", "NOP"],
		["nrt_execute", "nc_exec_running", "kmgr_exec_core", "kbl_exec_core", "kbl_exec_wait", "nrt_tensor_write"],
		["dot", "add", "multiply", "exponential", "reduce", "convert", "broadcast", "transpose"],
	];
	for (const names of sets) assert.equal(new Set(names.map(hueOfText)).size, names.length);
});

test("all hues are used about as often", () => {
	const counts = new Array<number>(HUE_COUNT).fill(0);
	for (let i = 0; i < 14_000; i++) counts[hueOfText(`fusion.${i}`)]!++;
	for (const count of counts) assert.ok(count > 800 && count < 1200, String(count));
});

test("text on bars and bars on the background have enough contrast", () => {
	for (const [theme, ground] of [["dark", "#14171c"], ["light", "#ffffff"]] as const) {
		for (const { fill, text } of paintsOf(theme)) {
			assert.ok(contrastOf(fill, text) >= 4.5, `${text} on ${fill}`);
			assert.ok(contrastOf(fill, ground) >= 1.4, `${fill} on ${ground}`);
		}
	}
	assert.equal(mixColours("#000000", "#ffffff", 0.5), "#808080");
});

test("operators are parsed from their text", () => {
	assert.equal(operatorOf("%dot.3 = dot(%p0, %p1)"), "dot");
	assert.equal(operatorOf("%r.1 = f32[8]{0} reduce(%a)"), "reduce");
	assert.equal(operatorOf("fusion.12"), "fusion");
	assert.equal(columnOf("operator"), "hlo_name");
	assert.equal(columnOf("engine"), "");
});

test("spans have a colour by core, or all the same", () => {
	const track = (core: string, id: number) => ({ id, name: "Vector", table: "Instruction",
		attributes: { pcore_idx: core } }) as unknown as Track;
	assert.equal(hueOfAll("core", track("0", 1)), hueOfAll("core", track("0", 2)));
	assert.notEqual(hueOfAll("core", track("0", 1)), hueOfAll("core", track("1", 2)));
	assert.equal(hueOfAll("none", track("0", 1)), hueOfAll("none", track("1", 2)));
	assert.equal(hueOfAll("name", track("0", 1)), null, "depends on the span");
	assert.equal(columnOf("type"), "tensor_instruction_type");
	assert.deepEqual(coloursFor("system").map(({ id }) => id), ["name", "core", "track", "none"]);
});

test("keys do what the help says and do not override the browser's", () => {
	const press = (key: string, more: object = {}) =>
		commandOf({ key, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, ...more });
	assert.equal(press("w"), "in");
	assert.equal(press("W", { shiftKey: true }), "in");
	assert.equal(press("?", { shiftKey: true }), "help");
	assert.equal(press("ArrowLeft", { shiftKey: true }), "pageLeft");
	assert.equal(press("f", { ctrlKey: true }), null);
	assert.equal(press("Tab"), null);
});

test("names are cut to fit, values have units", () => {
	assert.equal(fitText("MATMUL", 6), "MATMUL");
	assert.equal(fitText("LDWEIGHTS", 5), "LDWE…");
	assert.equal(fitText("LDWEIGHTS", 2), "");
	// Steps differ at the end.
	assert.equal(fitText("ProfilerStep#12", 7), "Pro…#12");
	assert.equal(fitText("ProfilerStep#12", 5), "P…#12");
	assert.equal(fitText("ProfilerStep#12", 4), "Pro…");
	assert.equal(fitText("nrt_load_collectives", 13), "nrt_load…ives");
	const track = (name: string, unit: string) => ({ name, unit }) as Track;
	assert.equal(valueText(0.643, track("SBUF usage", "")), "64.3%");
	assert.equal(valueText(3.07e9, track("DMA", "bytes/s")), "3.07 GB/s");
	assert.equal(valueText(538_640_000, track("HBM", "bytes")), "513.7 MiB");
	assert.equal(valueText(4.5e13, track("model FLOPS", "FLOP/s"), 9e13), "50% (45 TFLOP/s)");
	assert.equal(valueText(12_345, track("pending DMA", "")), "12,345");
});
