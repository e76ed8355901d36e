// SPDX-License-Identifier: Apache-2.0
// The canvas with the rows. The picture is composed in memory and copied to the canvas; texts are
// drawn on top. If there are many texts, only wide bars get one while the view moves.

import { paintBase } from "./draw.ts";
import { Pixels } from "./pixels.ts";
import type { Scene } from "./scene.ts";
import { TextBatch } from "./texts.ts";

/** The view counts as moving until this long after its last change. */
export const REST_MS = 80;
const TEXT_FROM_PX = 27;
const TEXT_FROM_PX_MOVING = 90;
/** More texts than this take longer to draw than the bars. */
const MANY_TEXTS = 300;

export class BaseLayer {
	private pixels: Pixels | null = null;
	private image: ImageData | null = null;
	private readonly texts = new TextBatch();
	private hasMany = false;

	/** Bars narrower than this get no text. */
	textFromPx(isMoving: boolean): number {
		return isMoving && this.hasMany ? TEXT_FROM_PX_MOVING : TEXT_FROM_PX;
	}

	draw(canvas: HTMLCanvasElement, scene: Scene): void {
		const ctx = canvas.getContext("2d", { alpha: false })!;
		let { pixels } = this;
		if (!pixels || pixels.width !== canvas.width || pixels.height !== canvas.height) {
			pixels = this.pixels = new Pixels(canvas.width, canvas.height);
			this.image = new ImageData(pixels.bytes, pixels.width);
		}
		this.texts.clear();
		paintBase(pixels, scene, this.texts);
		if (scene.textFromPx === TEXT_FROM_PX) this.hasMany = this.texts.count > MANY_TEXTS;
		ctx.setTransform(scene.dpr, 0, 0, scene.dpr, 0, 0);
		ctx.putImageData(this.image!, 0, 0);
		const { colours, paints, layout } = scene;
		this.texts.draw(ctx, layout.pinnedHeight,
			{ mono: colours.mono, sans: colours.sans, ink: paints[0]!.text, dim: colours.dim });
	}
}
