// SPDX-License-Identifier: Apache-2.0
// Three ways to write the bars of a lane into a picture: bar by bar (DirectLane), overlapping lanes
// from the top one down (FoldedLanes), and line by line (LineLane), which writes each pixel once.

import type { Ink, Pixels } from "./pixels.ts";

export interface LaneTarget {
	/** Starts at the lane's lower edge. */
	bar(from: number, to: number, high: number, ink: Ink): void;
	/** As high as the lane. */
	cap(from: number, to: number, ink: Ink): void;
}

export class DirectLane implements LaneTarget {
	private pixels!: Pixels;
	private top = 0;
	private height = 0;

	begin(pixels: Pixels, top: number, height: number): this {
		this.pixels = pixels;
		this.top = top;
		this.height = height;
		return this;
	}

	bar(from: number, to: number, high: number, ink: Ink): void {
		this.pixels.rect(from, this.top + this.height - high, to - from, high, ink);
	}

	cap(from: number, to: number, ink: Ink): void {
		this.pixels.rect(from, this.top, to - from, this.height, ink);
	}
}

/**
 * Overlapping lanes, the one on top first, so that a pixel is written once. All bars start at the
 * same lower edge, so it is enough to know how high each column is filled.
 */
export class FoldedLanes implements LaneTarget {
	private pixels!: Pixels;
	private bottom = 0;
	private height = 0;
	private filled = new Uint16Array(0);

	begin(pixels: Pixels, top: number, height: number): this {
		this.pixels = pixels;
		this.bottom = top + height;
		this.height = height;
		if (this.filled.length !== pixels.width) this.filled = new Uint16Array(pixels.width);
		else this.filled.fill(0);
		return this;
	}

	bar(from: number, to: number, high: number, ink: Ink): void {
		const { filled } = this;
		for (let x = from; x < to;) {
			const below = filled[x]!;
			let end = x + 1;
			while (end < to && filled[end] === below) end++;
			if (below < high) {
				this.pixels.rect(x, this.bottom - high, end - x, high - below, ink);
				for (let i = x; i < end; i++) filled[i] = high;
			}
			x = end;
		}
	}

	cap(from: number, to: number, ink: Ink): void {
		this.bar(from, to, this.height, ink);
	}
}

const NONE = -1;

/** Most pixel lines of a lane are the same: keeps one line and adds lower bars to it on the way. */
export class LineLane implements LaneTarget {
	private line = new Uint32Array(0);
	private height = 0;
	// Bars lower than the lane, in linked lists by their height.
	private heads = new Int32Array(64);
	private size = 1024;
	private from = new Int32Array(this.size);
	private to = new Int32Array(this.size);
	private inks = new Uint32Array(this.size);
	private next = new Int32Array(this.size);
	private count = 0;

	begin(ground: Uint32Array, height: number): this {
		if (this.line.length !== ground.length) this.line = new Uint32Array(ground.length);
		this.line.set(ground);
		if (this.heads.length <= height) this.heads = new Int32Array(height + 1);
		this.heads.fill(NONE);
		this.height = height;
		this.count = 0;
		return this;
	}

	bar(from: number, to: number, high: number, ink: Ink): void {
		if (high >= this.height) return this.cap(from, to, ink);
		if (this.count === this.size) this.grow();
		const at = this.count++;
		this.from[at] = from;
		this.to[at] = to;
		this.inks[at] = ink;
		this.next[at] = this.heads[high]!;
		this.heads[high] = at;
	}

	cap(from: number, to: number, ink: Ink): void {
		const { line } = this;
		for (let x = from; x < to; x++) line[x] = ink;
	}

	write(pixels: Pixels, top: number): void {
		const { height, heads, next, from, to, inks } = this;
		for (let y = 0; y < height; y++) {
			for (let at = y ? heads[height - y]! : NONE; at !== NONE; at = next[at]!)
				this.cap(from[at]!, to[at]!, inks[at]!);
			pixels.lines(this.line, top + y, 1);
		}
	}

	private grow(): void {
		this.size *= 2;
		const longer = <T extends Int32Array | Uint32Array>(old: T, made: T): T => {
			made.set(old);
			return made;
		};
		this.from = longer(this.from, new Int32Array(this.size));
		this.to = longer(this.to, new Int32Array(this.size));
		this.inks = longer(this.inks, new Uint32Array(this.size));
		this.next = longer(this.next, new Int32Array(this.size));
	}
}
