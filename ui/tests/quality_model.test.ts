// SPDX-License-Identifier: Apache-2.0
// Which numbers the warnings of a capture put in doubt.

import test from "node:test";
import assert from "node:assert/strict";
import { doubtsOf, reasonOf } from "../src/pages/summary/quality_model.ts";

const hlo = "The NEFF carries no HLO statistics, so model_flops and mfu_hlo_estimated_percent are 0.";
const cut = "3 DMA queues with 9 packets are left out: a packet crosses the edge of the window.";
const compiler = "The NEFF carries no compiler metrics; a newer compiler writes them.";

test("a warning puts the numbers of its topic in doubt, and no others", () => {
	const doubts = doubtsOf([hlo, cut, compiler]);
	assert.equal(doubts.length, 2);
	assert.equal(reasonOf(doubts, "model flops"), hlo);
	assert.equal(reasonOf(doubts, "dma"), cut);
	assert.equal(reasonOf(doubts, "instructions"), "");
});

test("several reasons are joined", () => {
	const lost = "2 DMA records have no partner; their packets are not shown.";
	assert.equal(reasonOf(doubtsOf([cut, lost]), "dma"), `${cut} ${lost}`);
});
