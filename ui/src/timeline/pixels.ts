// SPDX-License-Identifier: Apache-2.0
// A picture in memory, copied to the canvas at once. Without a GPU this takes a third of the time
// of fillRect calls, and it can be tested without a browser.

/** An opaque colour as ImageData stores it on little-endian machines. */
export type Ink = number;

export function inkOf(red: number, green: number, blue: number): Ink {
	return (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
}

/** Parses "#rgb", "#rrggbb", "rgb(1, 2, 3)" or "rgb(1 2 3 / 0.5)"; ignores alpha. */
export function parseInk(text: string): Ink {
	const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text.trim())?.[1];
	if (hex) {
		const long = hex.length === 3 ? hex.replace(/./g, (digit) => digit + digit) : hex;
		const [red, green, blue] = [0, 2, 4].map((at) => parseInt(long.slice(at, at + 2), 16));
		return inkOf(red!, green!, blue!);
	}
	const numbers = /^rgba?\(([^)]*)\)$/i.exec(text.trim())?.[1]?.match(/[\d.]+/g)?.map(Number);
	return numbers && numbers.length >= 3
		? inkOf(Math.round(numbers[0]!), Math.round(numbers[1]!), Math.round(numbers[2]!))
		: inkOf(128, 128, 128);
}

/** share is of 256: 0 is all `below`, 256 all `above`. */
export function mixInks(below: Ink, above: Ink, share: number): Ink {
	const rest = 256 - share;
	const even = ((below & 0xff00ff) * rest + (above & 0xff00ff) * share) >>> 8;
	const green = ((below & 0xff00) * rest + (above & 0xff00) * share) >>> 8;
	return (0xff000000 | (even & 0xff00ff) | (green & 0xff00)) >>> 0;
}

/** From this width on, fill() is faster than a loop. */
const WIDE_PX = 24;

export class Pixels {
	readonly bytes: Uint8ClampedArray<ArrayBuffer>;
	readonly data: Uint32Array<ArrayBuffer>;
	private top = 0;
	private bottom: number;

	constructor(readonly width: number, readonly height: number) {
		const memory = new ArrayBuffer(width * height * 4);
		this.bytes = new Uint8ClampedArray(memory);
		this.data = new Uint32Array(memory);
		this.bottom = height;
	}

	/** Limits writing to these lines. */
	clip(top: number, bottom: number): void {
		this.top = Math.max(top, 0);
		this.bottom = Math.min(bottom, this.height);
	}

	rect(x: number, y: number, width: number, height: number, ink: Ink): void {
		const { data, width: stride } = this;
		const left = x < 0 ? 0 : x;
		const right = x + width > stride ? stride : x + width;
		if (right <= left) return;
		const first = y < this.top ? this.top : y;
		const after = y + height > this.bottom ? this.bottom : y + height;
		for (let line = first; line < after; line++) {
			const at = line * stride;
			if (right - left >= WIDE_PX) data.fill(ink, at + left, at + right);
			else for (let i = at + left; i < at + right; i++) data[i] = ink;
		}
	}

	/** A translucent rectangle; share is of 256. */
	blend(x: number, y: number, width: number, height: number, ink: Ink, share: number): void {
		const { data, width: stride } = this;
		const left = x < 0 ? 0 : x;
		const right = x + width > stride ? stride : x + width;
		const first = y < this.top ? this.top : y;
		const after = y + height > this.bottom ? this.bottom : y + height;
		for (let line = first; line < after; line++) {
			const end = line * stride + right;
			let below = -1, mixed = 0; // neighbours are mostly equal
			for (let i = line * stride + left; i < end; i++) {
				const now = data[i]!;
				if (now !== below) {
					below = now;
					mixed = mixInks(now, ink, share);
				}
				data[i] = mixed;
			}
		}
	}

	/** Repeats a line of pixels. */
	lines(line: Uint32Array, y: number, height: number): void {
		const { data, width: stride } = this;
		const after = Math.min(y + height, this.bottom);
		for (let at = Math.max(y, this.top); at < after; at++) data.set(line, at * stride);
	}
}
