// SPDX-License-Identifier: Apache-2.0
// A map of the state buffer: time to the right, addresses upwards, one rectangle per range that
// will still be read. Gaps that never close are fragmentation; many rectangles that start together
// are a spill being reloaded.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ProfileContext } from "../../contract.ts";
import { formatBytes, formatInteger, formatNs } from "../../format.ts";
import { useStore } from "../../store.ts";
import { cssColour, prepareCanvas, useSize } from "../parts/canvas.ts";
import { absolute, num, query, rowCount, text, timeOf } from "../parts/data.ts";
import { Choice, Empty, Loaded, ShowAll } from "../parts/parts.tsx";
import {
	addressRange, allocationAt, rectOf, ticks, type Allocation, type MapArea,
} from "./sbuf_layout.ts";
import { useLoad, valueOf } from "../parts/use_load.ts";
import "./sbuf_map.css";

const MOST = 20_000;
const LEFT = 76;
const BOTTOM = 24;

export function SbufMap({ context }: { context: ProfileContext }) {
	const view = useStore(context.view);
	const [partition, setPartition] = useState("0");
	const [core, setCore] = useState("0");
	const known = useLoad(async (signal) => (await query(context, "sbuf_cores", {}, 64, signal))
		.map((row) => text(row["core"])), [context]);
	const cores = valueOf(known) ?? [];
	const load = useLoad(async (signal) => {
		const rows = await query(context, "sbuf_allocations", { partition, core,
			from: String(absolute(context, view.fromNs)), to: String(absolute(context, view.toNs)) },
		MOST, signal);
		return rows.map((row): Allocation => ({
			fromNs: timeOf(context, row["start_ts"]), toNs: timeOf(context, row["end_ts"]),
			low: num(row["start_address"]), high: num(row["end_address"]),
			isDma: text(row["op_source_type"]) === "dma", row,
		}));
	}, [context, view, partition, core], 200);
	if (!rowCount(context, "SbufAllocation"))
		return <Empty title="No allocations known">
			Allocations are derived from the instructions in the NEFF; none in this profile writes
			to the state buffer.</Empty>;
	return <>
		<div class="pn-bar">
			<Choice label="Partition" value={partition} change={setPartition}
				options={["0", "32", "64", "96"].map((value) => ({ value, text: value }))} />
			<Choice label="Core" value={core} change={setCore}
				options={(cores.length ? cores : ["0"]).map((value) => ({ value, text: value }))} />
			<span><i class="pn-swatch sb-instruction" />Instruction</span>
			<span><i class="pn-swatch sb-dma" />DMA</span>
			<span class="pn-spring" />
			<ShowAll context={context} />
		</div>
		<Loaded load={load} what="allocations">{(list) => <Map context={context}
			list={list} />}</Loaded>
	</>;
}

function Map({ context, list }: { context: ProfileContext; list: Allocation[] }) {
	const view = useStore(context.view);
	const holder = useRef<HTMLDivElement>(null);
	const canvas = useRef<HTMLCanvasElement>(null);
	const size = useSize(holder);
	const [hover, setHover] = useState<{ one: Allocation; x: number; y: number } | null>(null);
	const [low, high] = useMemo(() => addressRange(list), [list]);
	const area: MapArea = { left: LEFT, top: 8, width: Math.max(10, size.width - LEFT - 12),
		height: Math.max(10, size.height - BOTTOM - 8), fromNs: view.fromNs, toNs: view.toNs,
		low, high };
	useEffect(() => {
		const element = canvas.current;
		if (!element || !size.width) return;
		const draw = prepareCanvas(element, size.width, size.height);
		if (draw) paint(draw, list, area, hover?.one ?? null);
	}, [list, view, size.width, size.height, size.theme, hover?.one]);
	return (
		<div class="sb" ref={holder}>
			<canvas ref={canvas} class="sb-canvas" role="img"
				aria-label={`Map of the state buffer with ${formatInteger(list.length)} allocations`}
				onMouseMove={(event) => {
					const one = allocationAt(list, area, event.offsetX, event.offsetY);
					setHover(one ? { one, x: event.offsetX, y: event.offsetY } : null);
				}}
				onMouseLeave={() => setHover(null)}
				onClick={() => hover && context.zoomTo(hover.one.fromNs, hover.one.toNs)} />
			{list.length >= MOST ? <p class="sb-note">The {formatInteger(MOST)} longest are drawn;
				zoom in to see all.</p> : null}
			{list.length ? null : <p class="sb-note">Nothing is allocated in this time range.</p>}
			{hover ? <Tip hover={hover} width={size.width} height={size.height} /> : null}
		</div>
	);
}

function paint(draw: CanvasRenderingContext2D, list: Allocation[], area: MapArea,
	marked: Allocation | null): void {
	const line = cssColour("--line");
	draw.font = "11px system-ui, sans-serif";
	draw.fillStyle = cssColour("--fg-dim");
	draw.strokeStyle = line;
	draw.textAlign = "right";
	draw.textBaseline = "middle";
	for (const address of ticks(area.low, area.high, area.height / 40, 2)) {
		const y = area.top + area.height - (address - area.low) / (area.high - area.low) * area.height;
		draw.fillRect(area.left - 4, y, 4, 1);
		draw.fillText(`0x${address.toString(16).padStart(5, "0")}`, area.left - 8, y);
	}
	draw.textAlign = "center";
	draw.textBaseline = "top";
	for (const time of ticks(area.fromNs, area.toNs, area.width / 110, 10)) {
		const x = area.left + (time - area.fromNs) / (area.toNs - area.fromNs) * area.width;
		draw.fillRect(x, area.top + area.height, 1, 4);
		draw.fillText(formatNs(time, 6), Math.min(x, area.left + area.width - 24), area.top +
			area.height + 7);
	}
	draw.strokeRect(area.left + 0.5, area.top + 0.5, area.width, area.height);
	for (const isDma of [true, false]) {
		draw.fillStyle = cssColour(isDma ? "--pn-c2" : "--pn-c6");
		for (const one of list) {
			if (one.isDma !== isDma) continue;
			const rect = rectOf(one, area);
			if (!rect) continue;
			draw.globalAlpha = 0.75;
			const gap = rect.height > 3 ? 0.5 : 0;
			draw.fillRect(rect.x, rect.y + gap, Math.max(1, rect.width - (rect.width > 3 ? 0.5 : 0)),
				Math.max(1, rect.height - gap));
		}
	}
	draw.globalAlpha = 1;
	const rect = marked && rectOf(marked, area);
	if (!rect) return;
	draw.strokeStyle = cssColour("--fg");
	draw.strokeRect(rect.x - 0.5, rect.y - 0.5, rect.width + 1, rect.height + 1);
}

function Tip({ hover, width, height }:
	{ hover: { one: Allocation; x: number; y: number }; width: number; height: number }) {
	const { one } = hover;
	const hex = (value: number) => `0x${value.toString(16).padStart(5, "0")}`;
	const lines: [string, string][] = [
		["Time", `${formatNs(one.fromNs, 6)} to ${formatNs(one.toNs, 6)}`],
		["Held for", formatNs(one.toNs - one.fromNs)],
		["Addresses", `${hex(one.low)} to ${hex(one.high)} (${formatBytes(one.high - one.low)})`],
		["Written by", one.isDma ? "DMA" : "instruction"],
		["Opcode", text(one.row["opcode"])], ["Operands", text(one.row["operands"])],
		["Queue", text(one.row["queue_name"])], ["Block", text(one.row["block_id"])],
		["Tensor", text(one.row["tensor_name"])], ["HLO", text(one.row["hlo_name"])],
	];
	const left = hover.x < width / 2 ? hover.x + 14 : Math.max(0, hover.x - 314);
	const top = Math.max(0, Math.min(hover.y + 10, height - 160));
	return (
		<dl class="sb-tip" style={{ left: `${left}px`, top: `${top}px` }}>
			{lines.filter(([, value]) => value).map(([name, value]) =>
				<div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}
		</dl>
	);
}
