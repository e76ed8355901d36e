// SPDX-License-Identifier: Apache-2.0
// Helpers for canvases in panels: resolution, theme colours, and size.

import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import { watchTheme } from "../../timeline/theme.ts";

/** Clears the canvas and sets the screen's resolution; coordinates are CSS pixels. */
export function prepareCanvas(canvas: HTMLCanvasElement, width: number,
	height: number): CanvasRenderingContext2D | null {
	const scale = devicePixelRatio || 1;
	canvas.width = Math.round(width * scale);
	canvas.height = Math.round(height * scale);
	canvas.style.width = `${width}px`;
	canvas.style.height = `${height}px`;
	const draw = canvas.getContext("2d");
	draw?.setTransform(scale, 0, 0, scale, 0, 0);
	draw?.clearRect(0, 0, width, height);
	return draw;
}

/** The value of a CSS variable: of the theme or --pn-c1 to --pn-c8. */
export function cssColour(name: string): string {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim() || "#888";
}

// Light enough for dark text in both themes.
const SOFT = ["#8ec3ee", "#f2c46d", "#84d3b8", "#e2a9c8", "#b9b0ea", "#efa37f", "#c9cf82",
	"#a9b6c4", "#7fc7d9", "#d9b99b"];

/** A name always has the same colour. */
export function colourOf(name: string): string {
	let hash = 2166136261;
	for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 16777619);
	return SOFT[(hash >>> 0) % SOFT.length] ?? "#a9b6c4";
}

/** The element's size and the current theme. */
export function useSize(ref: RefObject<HTMLElement>) {
	const [size, setSize] = useState({ width: 0, height: 0, theme: "" });
	useEffect(() => {
		const element = ref.current;
		if (!element) return;
		const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight,
			theme: cssColour("--bg") });
		measure();
		const sizes = new ResizeObserver(measure);
		sizes.observe(element);
		const stopTheme = watchTheme(measure);
		return () => {
			sizes.disconnect();
			stopTheme();
		};
	}, []);
	return size;
}
