// SPDX-License-Identifier: Apache-2.0
// The summary's charts: a ring and stacked bars, with labels for screen readers.

import { formatFraction } from "../../format.ts";
import { arcPath, type Bar, type Slice } from "./summary_model.ts";

/** The fill of a slice: a CSS variable or stripes. */
const fillOf = (colour: string) => colour === "stripes" ? "url(#sm-stripes)" : `var(${colour})`;

function Swatch({ colour }: { colour: string }) {
	return (
		<svg class="sm-swatch" viewBox="0 0 10 10" aria-hidden="true">
			<rect width="10" height="10" rx="2" style={{ fill: fillOf(colour) }} />
		</svg>
	);
}

/** Defines the stripes, once on the page. */
export function Stripes() {
	return (
		<svg class="sm-defs" aria-hidden="true">
			<defs><pattern id="sm-stripes" width="6" height="6" patternUnits="userSpaceOnUse"
				patternTransform="rotate(45)">
				<rect width="6" height="6" class="sm-stripe-back" /><rect width="2" height="6"
					class="sm-stripe" />
			</pattern></defs>
		</svg>
	);
}

export function Ring(props: { label: string; slices: Slice[]; format: (value: number) => string;
	middle: string; under: string }) {
	const whole = props.slices.reduce((sum, slice) => sum + slice.value, 0) || 1;
	let at = 0;
	return (
		<div class="sm-ring">
			<svg viewBox="-60 -60 120 120" role="img"
				aria-label={`${props.label}: ${props.slices.map((slice) =>
				`${slice.label} ${props.format(slice.value)}`).join(", ")}`}>
				{props.slices.map((slice) => {
					const from = at;
					at += slice.value / whole;
					return slice.value > 0 ? <path key={slice.label} d={arcPath(from, at, 56, 16)}
						style={{ fill: fillOf(slice.colour) }}>
						<title>{`${slice.label}: ${props.format(slice.value)}, ` +
							`${formatFraction(slice.value / whole)}`}</title>
					</path> : null;
				})}
				<text class="sm-ring-number" y="2">{props.middle}</text>
				<text class="sm-ring-text" y="16">{props.under}</text>
			</svg>
			<ul class="sm-legend">
				{props.slices.map((slice) => (
					<li key={slice.label}><Swatch colour={slice.colour} />{slice.label}
						<span>{props.format(slice.value)}</span><span>{formatFraction(slice.value /
							whole)}</span></li>
				))}
			</ul>
		</div>
	);
}

/** Stacked bars with a legend. */
export function Bars(props: { label: string; bars: Bar[]; most?: number;
	format?: (bar: Bar) => string }) {
	const seen = new Map<string, string>();
	for (const bar of props.bars)
		for (const slice of bar.slices) if (slice.value > 0) seen.set(slice.label, slice.colour);
	const most = props.most ?? 1;
	return (
		<div class="sm-bars" role="img"
			aria-label={`${props.label}: ${props.bars.map((bar) => `${bar.label} ` +
			bar.slices.filter((slice) => slice.value > 0).map((slice) =>
				`${slice.label} ${formatFraction(slice.value)}`).join(", ")).join("; ")}`}>
			<ul class="sm-key">{[...seen].map(([label, colour]) =>
				<li key={label}><Swatch colour={colour} />{label}</li>)}</ul>
			{props.bars.map((bar) => {
				let x = 0;
				return (
					<div key={bar.label} class="sm-bar">
						<span class="sm-bar-name" title={bar.label}>{bar.label}</span>
						<svg viewBox="0 0 1000 14" preserveAspectRatio="none">
							<rect class="sm-bar-back" width="1000" height="14" />
							{bar.slices.map((slice) => {
								const width = Math.min(1000 - x, slice.value / most * 1000);
								const left = x;
								x += width;
								return width > 0 ? <rect key={slice.label} x={left} width={width} height="14"
									style={{ fill: fillOf(slice.colour) }}>
									<title>{`${slice.label}: ${formatFraction(slice.value)}`}</title></rect> : null;
							})}
						</svg>
						<span class="sm-bar-value">{props.format ? props.format(bar)
							: formatFraction(bar.slices.reduce((sum, slice) =>
								slice.label === "Unused" ? sum : sum + slice.value, 0))}</span>
					</div>
				);
			})}
		</div>
	);
}
