// SPDX-License-Identifier: Apache-2.0
// Texts inside bars and rows: collected while bars are painted, then drawn on top of them. Memory
// is reused between frames.

const TEXT_PX = 11;
const CHARACTER_PX = 6.65; // in a monospaced font of that size, rounded up
const SCALE_PX = 10;

/** How many characters fit into a bar of this width. */
export const roomOf = (width: number) => Math.floor((width - 7) / CHARACTER_PX);

const SHORT_ROOM = 8; // here, more of the beginning is worth more than an end
const LAST_NUMBER = /[^0-9a-z]?\d+$/i;

/**
 * The text cut to this many characters, in the middle, because steps and ranks differ at the end: a
 * number there stays whole if one more character fits. "" if fewer than three fit.
 */
export function fitText(text: string, characters: number): string {
	if (text.length <= characters) return text;
	if (characters < 3) return "";
	const number = LAST_NUMBER.exec(text)?.[0].length ?? 0;
	const tail = number && number <= characters - 2 ? number
		: characters < SHORT_ROOM ? 0 : Math.floor((characters - 1) / 3);
	return `${text.slice(0, characters - 1 - tail)}…${tail ? text.slice(-tail) : ""}`;
}

interface Fonts {
	mono: string;
	sans: string;
	ink: string; // on bars
	dim: string; // on the background
}

export class TextBatch {
	private texts: string[] = [];
	private xs: number[] = [];
	private ys: number[] = [];
	private tops: number[] = []; // the `top` of clip() for each text
	private scales: { text: string; x: number; y: number; top: number }[] = [];
	private top = 0;
	private bottom = Infinity;
	count = 0;

	/** More could not be read and would take longer to draw than the bars. */
	static readonly MOST = 1500;

	/** The area of the following texts: the pinned rows or the others. */
	clip(top: number, bottom: number): void {
		this.top = top;
		this.bottom = bottom;
	}

	/** y is the middle of the line. */
	add(text: string, x: number, y: number): void {
		if (this.count >= TextBatch.MOST || y < this.top - TEXT_PX || y > this.bottom) return;
		this.texts[this.count] = text;
		this.xs[this.count] = x;
		this.ys[this.count] = y;
		this.tops[this.count] = this.top;
		this.count++;
	}

	/** The value at the top of a counter's row; y is the top of the line. */
	addScale(text: string, x: number, y: number): void {
		if (y > this.top - SCALE_PX && y < this.bottom) this.scales.push({ text, x, y, top: this.top });
	}

	draw(ctx: CanvasRenderingContext2D, pinnedHeight: number, fonts: Fonts): void {
		for (const top of pinnedHeight ? [pinnedHeight, 0] : [0]) {
			ctx.save();
			if (pinnedHeight) {
				ctx.beginPath();
				ctx.rect(0, top, 1e5, top ? 1e5 : pinnedHeight);
				ctx.clip();
			}
			this.drawPart(ctx, top, fonts);
			ctx.restore();
		}
	}

	private drawPart(ctx: CanvasRenderingContext2D, top: number, fonts: Fonts): void {
		ctx.textAlign = "left";
		ctx.font = `${TEXT_PX}px ${fonts.mono}`;
		ctx.fillStyle = fonts.ink;
		ctx.textBaseline = "middle";
		for (let i = 0; i < this.count; i++)
			if (this.tops[i] === top) ctx.fillText(this.texts[i]!, this.xs[i]!, this.ys[i]!);
		ctx.font = `${SCALE_PX}px ${fonts.sans}`;
		ctx.fillStyle = fonts.dim;
		ctx.textBaseline = "top";
		for (const scale of this.scales)
			if (scale.top === top) ctx.fillText(scale.text, scale.x, scale.y);
	}

	clear(): void {
		this.count = 0;
		this.scales = [];
	}
}
