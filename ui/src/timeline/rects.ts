// SPDX-License-Identifier: Apache-2.0
// Rectangles by the thousand: they are collected with their colour and painted colour by colour, as
// changing the colour costs more than painting. Memory is kept from frame to frame.

export class RectBatch {
	private size = 4096;
	private box = new Float32Array(this.size * 4);
	private next = new Int32Array(this.size);
	private readonly heads: Int32Array;
	count = 0;

	constructor(private readonly colourCount: number) {
		this.heads = new Int32Array(colourCount).fill(-1);
	}

	/** A rectangle that goes on where the last one of its colour ended makes that one longer. */
	add(colour: number, x: number, y: number, width: number, height: number): void {
		const { box } = this;
		const last = this.heads[colour]! * 4;
		if (last >= 0 && box[last + 1] === y && box[last + 3] === height && box[last]! + box[last + 2]! === x) {
			box[last + 2]! += width;
			return;
		}
		if (this.count === this.size) this.grow();
		const at = this.count++;
		this.box[at * 4] = x;
		this.box[at * 4 + 1] = y;
		this.box[at * 4 + 2] = width;
		this.box[at * 4 + 3] = height;
		this.next[at] = this.heads[colour]!;
		this.heads[colour] = at;
	}

	flush(ctx: CanvasRenderingContext2D, styles: readonly string[]): void {
		const { box, next, heads } = this;
		for (let colour = 0; colour < this.colourCount; colour++) {
			let at = heads[colour]!;
			if (at < 0) continue;
			ctx.fillStyle = styles[colour]!;
			for (; at >= 0; at = next[at]!) {
				const b = at * 4;
				ctx.fillRect(box[b]!, box[b + 1]!, box[b + 2]!, box[b + 3]!);
			}
			heads[colour] = -1;
		}
		this.count = 0;
	}

	private grow(): void {
		this.size *= 2;
		const box = new Float32Array(this.size * 4), next = new Int32Array(this.size);
		box.set(this.box);
		next.set(this.next);
		this.box = box;
		this.next = next;
	}
}

/** Texts inside bars: collected while bars are, painted on top of them. */
export class TextBatch {
	private texts: string[] = [];
	private xs: number[] = [];
	private ys: number[] = [];
	count = 0;

	/** Enough for a screen; more would not be read and take longer than the bars. */
	static readonly MOST = 1500;

	add(text: string, x: number, y: number): void {
		if (this.count >= TextBatch.MOST) return;
		this.texts[this.count] = text;
		this.xs[this.count] = x;
		this.ys[this.count] = y;
		this.count++;
	}

	flush(ctx: CanvasRenderingContext2D, font: string, style: string): void {
		ctx.font = font;
		ctx.fillStyle = style;
		ctx.textBaseline = "middle";
		ctx.textAlign = "left";
		for (let i = 0; i < this.count; i++) ctx.fillText(this.texts[i]!, this.xs[i]!, this.ys[i]!);
		this.count = 0;
	}
}

/** As much of a text as so many characters hold; "" when that would say nothing. */
export function fitText(text: string, characters: number): string {
	if (text.length <= characters) return text;
	return characters < 3 ? "" : `${text.slice(0, characters - 1)}…`;
}
