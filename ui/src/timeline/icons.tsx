// SPDX-License-Identifier: Apache-2.0
// The timeline's icons.

const PATHS = {
	box: "M2.5 5V2.5H5M7 2.5h2M11 2.5h2.5V5M13.5 7v2M13.5 11v2.5H11M9 13.5H7M5 13.5H2.5V11M2.5 9V7",
	download: "M8 2v8M4.8 7 8 10.2 11.2 7M2.5 13.5h11",
	plus: "M8 3v10M3 8h10",
	minus: "M3 8h10",
	fit: "M2 8h12M4.5 5.5 2 8l2.5 2.5M11.5 5.5 14 8l-2.5 2.5",
	help: "M5.8 6a2.3 2.3 0 1 1 3.3 2.1c-.8.4-1.1.9-1.1 1.7M8 12.2v.2",
	pin: "M6 2.5h4l-.5 4 2 2.2H4.5l2-2.2zM8 8.7V14",
	hide: "M2 8s2.2-4 6-4 6 4 6 4-2.2 4-6 4-6-4-6-4zM3 13 13 3",
	open: "M4 6l4 4 4-4",
	folded: "M6 4l4 4-4 4",
	bands: "M3 2.5v11M6 2.5v11M3 2.5h3v11H3zM10 2.5h3v11h-3z",
	links: "M3 4h3c4 0 0 8 4 8h3M11 10l2.2 2L11 14",
	link: "M6.5 9.5l3-3M7 4.5l1.2-1.2a3 3 0 0 1 4.3 4.3L11.3 8.8M9 11.5l-1.2 1.2a3 3 0 0 1-4.3-4.3" +
		"l1.2-1.2",
	rows: "M2.5 4h11M2.5 8h11M2.5 12h11",
	settings: "M2.5 4.5h5M11 4.5h2.5M9.2 3v3M2.5 11.5h2.5M8.5 11.5h5M6.8 10v3",
	close: "M4 4l8 8M12 4l-8 8",
};

export function Icon({ name }: { name: keyof typeof PATHS }) {
	return (
		<svg class="tl-icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
			<path d={PATHS[name]} />
		</svg>
	);
}
