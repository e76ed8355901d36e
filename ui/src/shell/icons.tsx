// SPDX-License-Identifier: Apache-2.0
// Icons: strokes on a 16-pixel grid, in the colour of the surrounding text.

const SHAPES = {
	add: "M8 3v10M3 8h10",
	back: "M10 3 5 8l5 5",
	bulb: "M6 13h4M6.5 15h3M5.5 10.5a4 4 0 1 1 5 0c-.6.5-.9 1-1 1.5h-3c-.1-.5-.4-1-1-1.5z",
	check: "M3 8.5 6.5 12 13 4.5",
	close: "M4 4l8 8M12 4l-8 8",
	copy: "M6 6h7v7H6zM10 6V3H3v7h3",
	down: "M4 6l4 4 4-4",
	file: "M4 2h5l3 3v9H4zM9 2v3h3",
	focus: "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4",
	folder: "M2 4h4l1.5 2H14v7H2z",
	help: "M6 6.2a2 2 0 1 1 2.8 1.9c-.6.3-.8.6-.8 1.4M8 11.8v.4M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 " +
		"0 0 1 8 1.8z",
	info: "M8 7.2v4M8 4.6v.4M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8z",
	layout: "M2 3h12v10H2zM2 8h12M9 8v5",
	list: "M5.5 4H14M5.5 8H14M5.5 12H14M2.2 4h.1M2.2 8h.1M2.2 12h.1",
	maximise: "M3 3h10v10H3zM3 5.5h10",
	moon: "M13 9.5A5.5 5.5 0 1 1 6.5 3a4.5 4.5 0 0 0 6.5 6.5z",
	more: "M8 3v.1M8 8v.1M8 13v.1",
	pause: "M5.5 3.5v9M10.5 3.5v9",
	pencil: "M3 13l.6-2.8L10.8 3 13 5.2 5.8 12.4zM9.3 4.5l2.2 2.2",
	play: "M5 3.5v9L12.5 8z",
	record: "M8 2.2a5.8 5.8 0 1 1 0 11.6A5.8 5.8 0 0 1 8 2.2zM8 6a2 2 0 1 1 0 4 2 2 0 0 1 0-4z",
	refresh: "M13 8a5 5 0 1 1-1.5-3.6M13 2.5v3h-3",
	search: "M7 2.8a4.2 4.2 0 1 1 0 8.4 4.2 4.2 0 0 1 0-8.4zM10.2 10.2 14 14",
	sidebar: "M2 3h12v10H2zM6 3v10",
	star: "M8 2l1.8 3.9 4.2.5-3.1 2.9.8 4.2L8 11.4l-3.7 2.1.8-4.2L2 6.4l4.2-.5z",
	sun: "M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1" +
		" 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
	trash: "M3 4.5h10M6 4.5V3h4v1.5M4.5 4.5 5 13.5h6l.5-9M7 7v4M9 7v4",
	upload: "M8 11V3M4.5 6.5 8 3l3.5 3.5M2.5 10.5v3h11v-3",
	warning: "M8 2.5 14.5 13.5h-13zM8 6.5v3.5M8 11.9v.1",
} as const;

export type IconName = keyof typeof SHAPES;

export function Icon({ name, size = 16, filled = false }:
	{ name: IconName; size?: number; filled?: boolean }) {
	return (
		<svg class="ui-icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true"
			fill={filled ? "currentColor" : "none"} stroke="currentColor"
			stroke-width={name === "more" ? 2.2 : 1.4}
			stroke-linecap="round" stroke-linejoin="round">
			<path d={SHAPES[name]} />
		</svg>
	);
}
