// SPDX-License-Identifier: Apache-2.0
// A uPlot chart in the theme's colours that fills its container.

import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { formatByUnit } from "../../format.ts";
import { cssColour, useSize } from "./canvas.ts";
import "./plot.css";

export interface PlotSeries {
	label: string;
	colour: string; // a CSS variable: "--pn-c1"
	unit: string;
	kind?: "line" | "step" | "points";
	fill?: boolean;
}

interface PlotProps {
	label: string;
	data: uPlot.AlignedData;
	series: PlotSeries[];
	xUnit: string;
	yUnit: string;
	xTitle?: string;
	yTitle?: string;
	xLog?: boolean;
	yLog?: boolean;
	/** A click on the plot: the index of the nearest point. */
	choose?: (index: number) => void;
}

export function Plot(props: PlotProps) {
	const holder = useRef<HTMLDivElement>(null);
	const size = useSize(holder);
	useEffect(() => {
		const element = holder.current;
		if (!element || size.width < 40 || size.height < 40) return;
		const plot = new uPlot(optionsOf(props, size.width, size.height), props.data, element);
		return () => plot.destroy();
	}, [props.data, props.series, size.width, size.height, size.theme]);
	return <div class="pl" ref={holder} role="img" aria-label={props.label} />;
}

const LEGEND = 28;
const BINARY_STEPS = Array.from({ length: 60 }, (_, i) => 2 ** i);

function optionsOf(props: PlotProps, width: number, height: number): uPlot.Options {
	const dim = cssColour("--fg-dim");
	const line = cssColour("--line");
	const axis = (unit: string, title: string | undefined, room: number,
		space: number): uPlot.Axis => ({
		stroke: dim, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1, size: 4 },
		font: "11px system-ui, sans-serif", labelFont: "11px system-ui, sans-serif",
		values: (_, ticks) => ticks.map((tick) => tick === null ? "" : formatByUnit(tick, unit)),
		size: room, space, ...(unit === "bytes" ? { incrs: BINARY_STEPS } : {}),
		...(title ? { label: title, labelSize: 18 } : {}),
	});
	return {
		width, height: height - LEGEND,
		scales: { x: { time: false, distr: props.xLog ? 3 : 1, log: props.xUnit === "bytes" ? 2 : 10 },
			y: { distr: props.yLog ? 3 : 1 } },
		axes: [axis(props.xUnit, props.xTitle, 30, 64), axis(props.yUnit, props.yTitle, 72, 36)],
		cursor: { points: { size: 7 }, drag: { x: true, y: false } },
		legend: { live: true },
		series: [
			{ label: props.xTitle ?? "x", value: (_, value) => value === null ? "–"
				: formatByUnit(value, props.xUnit) },
			...props.series.map((series): uPlot.Series => {
				const colour = cssColour(series.colour);
				const points = series.kind === "points";
				return {
					label: series.label, stroke: colour, width: points ? 0 : 1.5,
					...(series.fill ? { fill: `${colour}40` } : {}),
					points: { show: points, size: 6, fill: `${colour}b0`, stroke: colour, width: 1 },
					...(series.kind === "step" && uPlot.paths.stepped
						? { paths: uPlot.paths.stepped({ align: 1 }) } : {}),
					...(points ? { paths: () => null } : {}),
					value: (_, value) => value === null || value === undefined ? "–"
						: formatByUnit(value, series.unit),
				};
			}),
		],
		hooks: {
			ready: [(plot) => {
				if (!props.choose) return;
				plot.over.addEventListener("click", () => {
					const index = plot.cursor.idx;
					if (index !== null && index !== undefined) props.choose?.(index);
				});
			}],
		},
	};
}
