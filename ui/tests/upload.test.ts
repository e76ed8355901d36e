// SPDX-License-Identifier: Apache-2.0
// Uploads: roles of files, and recovery from failures.

import { test } from "node:test";
import assert from "node:assert/strict";
import { EMPTY_PLAN, planFault, plannedFiles, suggestedName, withDropped, type Chosen, type Planned
	}
	from "../src/upload/plan.ts";
import { Rate } from "../src/upload/transfer.ts";
import { PIECE_BYTES, Transfer, WireError, type Wire } from "../src/upload/transfer.ts";

const chosen = (path: string, size = 10): Chosen =>
	({ path, file: new Blob([new Uint8Array(size)]) });

test("dropped files are sorted by kind", () => {
	const plan = withDropped(EMPTY_PLAN, [chosen("a.NEFF"), chosen("b.ntff"), chosen("c.ntff"),
		chosen("k.py"), chosen("src.tar.gz"), chosen(".DS_Store")]);
	assert.deepEqual(plannedFiles(plan).map((one) => [one.path, one.role]), [["a.NEFF", "neff"],
		["b.ntff", "ntff"], ["c.ntff", "ntff"], ["k.py", "source"], ["src.tar.gz", "source"]]);
	assert.equal(planFault(plan), null);
	assert.equal(suggestedName(plan), "b");
});

test("a dropped capture folder is recognised", () => {
	const plan = withDropped(EMPTY_PLAN, [chosen("my run/i-1_pid_2/ntrace.pb"),
		chosen("my run/x.json")]);
	assert.equal(plan.mode, "directory");
	assert.equal(planFault(plan), null);
	assert.equal(suggestedName(plan), "my_run");
	assert.equal(withDropped(EMPTY_PLAN, [chosen("out/a.ntff"), chosen("out/a.neff")]).mode,
		"directory");
	assert.equal(withDropped(EMPTY_PLAN, [chosen("code/k.py")]).mode, "files");
});

test("missing files are reported", () => {
	assert.match(planFault(EMPTY_PLAN)!, /NEFF/);
	assert.match(planFault(withDropped(EMPTY_PLAN, [chosen("a.neff")]))!, /NTFF/);
	assert.match(planFault(withDropped(EMPTY_PLAN, [chosen("a.neff"), chosen("a.ntff", 0)]))!,
		/empty/);
	assert.match(planFault({ ...EMPTY_PLAN, mode: "directory" })!, /folder/);
	assert.match(planFault({ ...EMPTY_PLAN, mode: "directory", directory: [chosen("a/b.txt")] })!,
		/no capture/);
});

test("a newer NEFF replaces the previous one", () => {
	const plan = withDropped(withDropped(EMPTY_PLAN, [chosen("a.neff")]), [chosen("b.neff")]);
	assert.deepEqual(plan.neff.map((one) => one.path), ["b.neff"]);
});

test("the rate covers the last seconds", () => {
	const rate = new Rate();
	assert.equal(rate.perSecond(), 0);
	for (let s = 0; s <= 20; s++) rate.add(s < 10 ? 0 : (s - 10) * 1000, s * 1000);
	assert.equal(rate.perSecond(), 1000);
});

/** A fake server that drops connections or responds late or wrongly, as scripted. */
class FakeWire implements Wire {
	stored = [0, 0];
	sent: [number, number, number][] = [];
	waits: number[] = [];
	trouble: (() => void)[] = [];
	isFinished = false;
	isGivenUp = false;
	clockMs = 0;
	onSend: () => void = () => {};

	async create(files: Planned[]) {
		return { id: "7", received: files.map(() => 0) };
	}
	async send(_id: string, index: number, offset: number, piece: Blob,
		onProgress: (bytes: number) => void,
		signal: AbortSignal) {
		this.sent.push([index, offset, piece.size]);
		this.clockMs += 1000;
		this.trouble.shift()?.();
		if (offset !== this.stored[index]) throw new WireError(409, "wrong offset",
			this.stored[index]!);
		onProgress(piece.size / 2);
		this.onSend();
		if (signal.aborted) throw new Error("aborted");
		return (this.stored[index] = offset + piece.size);
	}
	async received() {
		return [...this.stored];
	}
	async finish() {
		this.isFinished = true;
	}
	async giveUp() {
		this.isGivenUp = true;
	}
	async wait(ms: number) {
		this.waits.push(ms);
	}
	now = () => this.clockMs;
}

const files: Planned[] = [{ ...chosen("a.neff", 5), role: "neff" },
	{ ...chosen("a.ntff", PIECE_BYTES + 7), role: "ntff" }];

test("files are sent in chunks, then processing starts", async () => {
	const wire = new FakeWire();
	const transfer = new Transfer("x", files, wire);
	await transfer.run();
	assert.deepEqual(wire.sent, [[0, 0, 5], [1, 0, PIECE_BYTES], [1, PIECE_BYTES, 7]]);
	assert.ok(wire.isFinished);
	const { phase, sentBytes, totalBytes } = transfer.state.get();
	assert.equal(phase, "done");
	assert.equal(sentBytes, totalBytes);
});

test("after a lost connection it resumes at the server's offset", async () => {
	const wire = new FakeWire();
	const drop = () => {
		throw new WireError(0, "gone");
	};
	// The second chunk arrives, but its response does not.
	wire.trouble = [() => {}, () => {
		wire.stored[1] = PIECE_BYTES;
		drop();
	}, drop, drop];
	const transfer = new Transfer("x", files, wire);
	await transfer.run();
	assert.equal(transfer.state.get().phase, "done");
	assert.deepEqual(wire.stored, [5, PIECE_BYTES + 7]);
	assert.deepEqual(wire.waits, [1000, 1000, 2000]);
});

test("a wrong offset is corrected without waiting", async () => {
	const wire = new FakeWire();
	wire.stored = [3, 0];
	const transfer = new Transfer("x", files, wire);
	await transfer.run();
	assert.equal(transfer.state.get().phase, "done");
	assert.deepEqual(wire.waits, []);
});

test("it stops retrying and can be restarted", async () => {
	const wire = new FakeWire();
	wire.trouble = Array.from({ length: 11 }, () => () => {
		throw new WireError(503, "too busy");
	});
	const transfer = new Transfer("x", files, wire);
	await transfer.run();
	assert.equal(transfer.state.get().phase, "failed");
	assert.equal(transfer.state.get().failure, "too busy");
	await transfer.run();
	assert.equal(transfer.state.get().phase, "done");
});

test("a rejected request is not retried", async () => {
	const wire = new FakeWire();
	wire.trouble = [() => {
		throw new WireError(413, "too big");
	}];
	const transfer = new Transfer("x", files, wire);
	await transfer.run();
	assert.equal(transfer.state.get().phase, "failed");
	assert.equal(wire.sent.length, 1);
});

test("a pause keeps what was sent", async () => {
	const wire = new FakeWire();
	const transfer = new Transfer("x", files, wire);
	wire.onSend = () => {
		if (wire.sent.length === 2) transfer.pause();
	};
	await transfer.run();
	assert.equal(transfer.state.get().phase, "paused");
	await transfer.run();
	assert.equal(transfer.state.get().phase, "done");
	assert.deepEqual(wire.stored, [5, PIECE_BYTES + 7]);
});

test("cancelling notifies the server and is final", async () => {
	const wire = new FakeWire();
	const transfer = new Transfer("x", files, wire);
	wire.onSend = () => void transfer.cancel();
	await transfer.run();
	assert.equal(transfer.state.get().phase, "cancelled");
	assert.ok(wire.isGivenUp);
});
