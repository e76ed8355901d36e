// SPDX-License-Identifier: Apache-2.0
// One upload: sent in chunks, can be paused, and resumes after a lost connection at the offset that
// the server reports. The network and the clock are parameters, for tests.

import { createStore } from "../store.ts";
import type { Planned } from "./plan.ts";

const WINDOW_MS = 6000;

export class Rate {
	private points: { bytes: number; ms: number }[] = [];

	add(bytes: number, ms: number): void {
		const last = this.points.at(-1);
		if (last && bytes < last.bytes) this.points = []; // the transfer restarted
		this.points.push({ bytes, ms });
		// Keep one point older than the window, so that the window is covered.
		while (this.points.length > 2 && this.points[1]!.ms <= ms - WINDOW_MS) this.points.shift();
	}

	clear(): void {
		this.points = [];
	}

	/** Bytes per second; 0 if unknown. */
	perSecond(): number {
		const [first, last] = [this.points[0], this.points.at(-1)];
		if (!first || !last || last.ms - first.ms < 200) return 0;
		return ((last.bytes - first.bytes) * 1000) / (last.ms - first.ms);
	}
}

export const PIECE_BYTES = 8 * 1024 * 1024;
const MOST_TRIES = 10; // without progress
const LONGEST_WAIT_MS = 30_000;

/** A failed request. Status 0: the connection was lost; 409: `received` is the correct offset. */
export class WireError extends Error {
	constructor(readonly status: number, sentence: string, readonly received: number |
		null = null) {
		super(sentence);
	}
}

export interface Wire {
	create(files: Planned[]): Promise<{ id: string; received: number[] }>;
	send(id: string, index: number, offset: number, piece: Blob, onProgress: (bytes: number) => void,
		signal: AbortSignal): Promise<number>; // received of the file
	received(id: string, signal: AbortSignal): Promise<number[]>;
	finish(id: string): Promise<void>;
	giveUp(id: string): Promise<void>;
	wait(ms: number, signal: AbortSignal): Promise<void>;
	now(): number;
}

export interface TransferState {
	phase: "starting" | "sending" | "paused" | "waiting" | "finishing" | "done" | "failed" |
		"cancelled";
	sentBytes: number;
	totalBytes: number;
	path: string; // of the current file
	bytesPerSecond: number;
	failure: string | null;
}

export const isOver = ({ phase }: TransferState): boolean => phase === "done" ||
	phase === "cancelled";
const isGoing = ({ phase }: TransferState): boolean =>
	!["done", "cancelled", "failed", "paused"].includes(phase);

export function secondsLeft(state: TransferState): number {
	return state.bytesPerSecond > 0 ? (state.totalBytes - state.sentBytes) / state.bytesPerSecond
		: Infinity;
}

export class Transfer {
	readonly state;
	private id: string | null = null;
	private received: number[];
	private readonly rate = new Rate();
	private stop = new AbortController();

	constructor(readonly name: string, private readonly files: Planned[], private readonly wire:
		Wire) {
		this.received = files.map(() => 0);
		this.state = createStore<TransferState>({
			phase: "starting", sentBytes: 0, path: "", bytesPerSecond: 0, failure: null,
			totalBytes: files.reduce((sum, one) => sum + one.file.size, 0),
		});
	}

	/** Runs until done, paused, cancelled or failed; calling it again resumes. */
	async run(): Promise<void> {
		this.stop = new AbortController();
		const { signal } = this.stop;
		this.rate.clear();
		this.change({ phase: this.id ? "sending" : "starting", failure: null });
		try {
			if (!this.id) {
				const { id, received } = await this.wire.create(this.files);
				this.id = id;
				this.received = received;
			} else {
				this.received = await this.wire.received(this.id, signal);
			}
			await this.sendAll(this.id, signal);
			this.change({ phase: "finishing", path: "" });
			await this.wire.finish(this.id);
			this.change({ phase: "done" });
		} catch (failure) {
			if (signal.aborted) return; // pause() or cancel() set the phase
			this.change({ phase: "failed", failure: (failure as Error).message, bytesPerSecond: 0
				});
		}
	}

	pause(): void {
		if (!isGoing(this.state.get())) return;
		this.change({ phase: "paused", bytesPerSecond: 0 });
		this.stop.abort();
	}

	async cancel(): Promise<void> {
		this.change({ phase: "cancelled", bytesPerSecond: 0 });
		this.stop.abort();
		if (this.id) await this.wire.giveUp(this.id);
	}

	private async sendAll(id: string, signal: AbortSignal): Promise<void> {
		let tries = 0;
		for (let index = 0; index < this.files.length;) {
			const { file, path } = this.files[index]!;
			const offset = this.received[index] ?? 0;
			if (offset >= file.size) {
				index++;
				continue;
			}
			this.change({ phase: "sending", path });
			this.progress(0);
			try {
				const piece = file.slice(offset, Math.min(file.size, offset + PIECE_BYTES));
				this.received[index] = await this.wire.send(id, index, offset, piece,
					(bytes) => this.progress(bytes), signal);
				tries = 0;
			} catch (failure) {
				if (signal.aborted) throw failure;
				tries = await this.afterFailure(id, index, failure as WireError, tries + 1, signal);
			}
		}
		this.progress(0);
	}

	/** Recovers or throws; returns the number of tries since the last progress. */
	private async afterFailure(id: string, index: number, failure: WireError, tries: number,
		signal: AbortSignal): Promise<number> {
		if (tries > MOST_TRIES) throw failure;
		if (failure.status === 409 && failure.received !== null) {
			this.received[index] = failure.received;
			return tries;
		}
		const isPassing = failure.status === 0 || failure.status === 429 || failure.status >= 500;
		if (!isPassing) throw failure;
		this.change({ phase: "waiting", failure: failure.message, bytesPerSecond: 0 });
		await this.wire.wait(Math.min(LONGEST_WAIT_MS, 500 * 2 ** tries), signal);
		try {
			const before = this.received.reduce((sum, one) => sum + one, 0);
			this.received = await this.wire.received(id, signal);
			const isMore = this.received.reduce((sum, one) => sum + one, 0) > before;
			this.change({ failure: null });
			return isMore ? 0 : tries;
		} catch (again) {
			if (signal.aborted) throw again;
			return this.afterFailure(id, index, again as WireError, tries + 1, signal);
		}
	}

	private progress(pieceBytes: number): void {
		const sentBytes = this.received.reduce((sum, one) => sum + one, 0) + pieceBytes;
		this.rate.add(sentBytes, this.wire.now());
		this.change({ sentBytes, bytesPerSecond: this.rate.perSecond() });
	}

	private change(part: Partial<TransferState>): void {
		// Ignore late responses.
		if (this.state.get().phase === "cancelled") return;
		this.state.update((now) => ({ ...now, ...part }));
	}
}
