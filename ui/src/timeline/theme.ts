// SPDX-License-Identifier: Apache-2.0
// The theme's colours for canvases, which cannot use CSS variables.

import type { ThemeColours } from "./scene.ts";
import { luminanceOf } from "./colours.ts";

export function readTheme(element: Element): ThemeColours {
	const style = getComputedStyle(element);
	const read = (name: string, otherwise: string) => style.getPropertyValue(name).trim() ||
		otherwise;
	const bg = longHex(read("--bg", "#14171c"));
	return {
		theme: isHex(bg) && luminanceOf(bg) > 0.4 ? "light" : "dark",
		bg,
		raised: read("--bg-raised", "#1b1f26"),
		sunken: read("--bg-sunken", "#0f1216"),
		fg: read("--fg", "#e4e7ec"),
		dim: read("--fg-dim", "#98a2b3"),
		line: read("--line", "#2c323c"),
		accent: read("--accent", "#4c9aff"),
		sans: read("--sans", "system-ui, sans-serif"),
		mono: read("--mono", "ui-monospace, monospace"),
	};
}

const isHex = (text: string) => /^#[0-9a-f]{6}$/i.test(text);

/** "#fff" as "#ffffff". */
const longHex = (text: string) =>
	(/^#[0-9a-f]{3}$/i.test(text) ? text.replace(/[0-9a-f]/gi, (digit) => digit + digit) : text);

/** Calls back when the theme changes; returns a function that unsubscribes. */
export function watchTheme(onChange: () => void): () => void {
	const observer = new MutationObserver(onChange);
	observer.observe(document.documentElement,
		{ attributes: true, attributeFilter: ["data-theme", "class"] });
	const media = matchMedia("(prefers-color-scheme: dark)");
	media.addEventListener("change", onChange);
	return () => {
		observer.disconnect();
		media.removeEventListener("change", onChange);
	};
}
