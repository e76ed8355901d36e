// SPDX-License-Identifier: Apache-2.0
// Colours by name: a name always has the same colour. The hues are safe for red-green colour
// blindness (after Okabe and Ito, and Paul Tol); yellow is reserved for search hits, white for the
// selection.

import type { ColourBy } from "../contract.ts";
import type { Track } from "../api/types.ts";
import { ENGINES, engineOf } from "./device_rows.ts";

export type Theme = "dark" | "light";

/** Colours of a bar: its fill, its edge and the text on it. */
export interface Paint {
	fill: string;
	edge: string;
	text: string;
}

export const HIT_COLOUR = "#ffe100";
export const HIGHLIGHT_COLOUR = "#ff7a66";

interface BandStyle { colour: string; fill: number; edge: number; label: string } // opacities

export const BAND_STYLES: Record<string, BandStyle> = {
	small_dma: { colour: "#e69f00", fill: 0.16, edge: 0.75, label: "Small DMA transfers" },
	reload: { colour: "#d55e00", fill: 0.16, edge: 0.85, label: "Repeated load" },
	throttling: { colour: "#568ce9", fill: 0.15, edge: 0.55, label: "Throttling" },
	collective: { colour: "#ccbb78", fill: 0.14, edge: 0.7, label: "Collective" },
	unrecorded: { colour: "#7d8694", fill: 0.28, edge: 0.6, label: "Not recorded" },
	barrier: { colour: "#969eaa", fill: 0.16, edge: 0.7, label: "Barrier" },
};

export const bandStyleOf = (kind: string) => BAND_STYLES[kind] ?? BAND_STYLES["barrier"]!;

const HUES = [
	"#77aadd", "#ee8866", "#44bb99", "#cc99bb", "#bbcc33", "#99ddff", "#d1a76f",
	"#ffaabb", "#7f9f6a", "#a79ae0", "#5fb3c4", "#c98b8b", "#9fb4c7", "#b3ae4a",
];

const GREY = "#8b95a3"; // for missing values
export const ERROR_COLOUR = "#ff5a4f";

const channels = (hex: string) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

function hexOf(rgb: number[]): string {
	return `#${rgb.map((c) => Math.round(Math.min(Math.max(c, 0), 255)).toString(16).padStart(2, "0"))
		.join("")}`;
}

export function mixColours(a: string, b: string, share: number): string {
	const to = channels(b);
	return hexOf(channels(a).map((c, i) => c + (to[i]! - c) * share));
}

/** Relative luminance of WCAG 2. */
export function luminanceOf(hex: string): number {
	const [r, g, b] = channels(hex).map((c) => {
		const part = c / 255;
		return part <= 0.03928 ? part / 12.92 : Math.pow((part + 0.055) / 1.055, 2.4);
	});
	return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}


const INK = "#10151c";

function paintOf(hue: string, theme: Theme): Paint {
	// Pale hues need more contrast on white; full ones would glare on black.
	const fill = theme === "light" ? mixColours(hue, "#101820", 0.16)
		: mixColours(hue, "#14171c", 0.1);
	return { fill, edge: mixColours(fill, "#000000", 0.45), text: INK };
}

/** All paints of a theme: the hues, grey for missing values, red for errors. */
export function paintsOf(theme: Theme): Paint[] {
	return [...HUES, GREY, ERROR_COLOUR].map((hue) => paintOf(hue, theme));
}

export const HUE_COUNT = HUES.length;
export const NO_VALUE = HUES.length;
export const ERROR_HUE = HUES.length + 1;

/** With this seed the most common opcodes, calls and operators all get different colours. */
const SEED = 51393;

/** FNV-1a with mixed bits, so that similar names get different colours. */

export function hashText(text: string): number {
	let hash = SEED;
	for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
	hash ^= hash >>> 15;
	hash = Math.imul(hash, 0x2c1b3c6d);
	return (hash ^ (hash >>> 13)) >>> 0;
}

export function hueOfText(text: string): number {
	if (text === "" || /^unknown$/i.test(text)) return NO_VALUE;
	return hashText(text) % HUE_COUNT;
}

export function hueOfTrack(track: Track): number {
	return hashText(`${track.table ?? ""}/${track.name}/${track.id}`) % HUE_COUNT;
}

export function hueOfEngine(track: Track): number {
	const engine = ENGINES.indexOf(engineOf(track));
	return engine >= 0 ? engine : hueOfText(track.attributes["queue_name"] ?? track.name);
}

export const hueOfCore = ({ attributes }: Track) =>
	hueOfText(attributes["pcore_idx"] ?? attributes["nc_idx"] ?? "");

/** The colour of all spans of a track; null if it depends on the span. */
export function hueOfAll(colourBy: ColourBy, track: Track): number | null {
	switch (colourBy) {
		case "none": return 0;
		case "track": return hueOfTrack(track);
		case "engine": return hueOfEngine(track);
		case "core": return hueOfCore(track);
		default: return null;
	}
}

const COLUMNS: Partial<Record<ColourBy, string>> = {
	layer: "layer", operator: "hlo_name", type: "tensor_instruction_type",
};

/** The column whose values colour spans; "" if no column does. */
export const columnOf = (colourBy: ColourBy): string => COLUMNS[colourBy] ?? "";

/** The first parts of a layer's name ("model/layer1/op2"); depth 0: all of it. */
export function layerPart(layer: string, depth: number): string {
	if (depth <= 0) return layer;
	return layer.split("/").filter((part) => part !== "").slice(0, depth).join("/");
}

/** The operator of an operation: "dot" for "%dot.3 = dot(...)". */
export function operatorOf(hloName: string): string {
	return /=\s*(?:\S+\s+)?([A-Za-z][\w-]*)\(/.exec(hloName)?.[1] ??
		hloName.replace(/^%/, "").replace(/[.\d]+$/, "");
}
