// SPDX-License-Identifier: Apache-2.0
// The framework's modules as a tree, with their costs. A click zooms to a module; a right click or
// H highlights its instructions in the timeline.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Cell } from "../../api/types.ts";
import type { ProfileContext } from "../../contract.ts";
import { exactCell, formatCell, formatNs, NOTHING } from "../../format.ts";
import { useStore } from "../../store.ts";
import { sum } from "../parts/data.ts";
import { Button, Empty, Loaded, Panel, scrollToRow } from "../parts/parts.tsx";
import { visibleRange } from "../parts/table_model.ts";
import { chosenNode, toggleHighlight, treeOf, zoomToNode } from "./tree_data.ts";
import { linesOf, openTo, type TreeLine, type TreeNode } from "./tree_model.ts";
import { useLoad } from "../parts/use_load.ts";
import "./operator_table.css";

const ROW = 22;
const ENGINES = ["tensor", "vector", "scalar", "gpsimd", "sync"];
const NAMES: Record<string, string> = {
	tensor: "Tensor", vector: "Vector", scalar: "Scalar", gpsimd: "GpSimd", sync: "Sync",
};

interface TreeColumn {
	name: string;
	title: string;
	unit: string;
	width: number;
	help: string;
}

const COLUMNS: TreeColumn[] = [
	{ name: "busy", title: "Time", unit: "nanoseconds", width: 84,
		help: "Time in which at least one of its instructions ran; overlaps count once" },
	{ name: "span", title: "Span", unit: "nanoseconds", width: 84,
		help: "From the start of its first instruction to the end of its last" },
	{ name: "mfu", title: "MFU", unit: "fraction", width: 64,
		help: "Matrix work without transposes, as a share of the tensor engines' peak over the span" },
	{ name: "hfu", title: "HFU", unit: "fraction", width: 64,
		help: "Matrix work with transposes, as a share of the peak over the span" },
	{ name: "instructions", title: "Instructions", unit: "", width: 96, help: "On all engines" },
	...ENGINES.flatMap((engine) => [
		{ name: `${engine}_engine_instruction_count`, title: NAMES[engine] ?? engine, unit: "",
			width: 68, help: `Instructions on the ${NAMES[engine]} engine` },
		{ name: `total_time_${engine}`, title: `${NAMES[engine]} time`, unit: "nanoseconds", width: 96,
			help: `Time its ${NAMES[engine]} instructions cover` },
	]),
	{ name: "hbm_read_bytes", title: "HBM read", unit: "bytes", width: 84,
		help: "Bytes its DMAs read from HBM" },
	{ name: "hbm_write_bytes", title: "HBM write", unit: "bytes", width: 84,
		help: "Bytes its DMAs wrote to HBM" },
	{ name: "start", title: "Start", unit: "nanoseconds", width: 96,
		help: "Start of its first instruction" },
	{ name: "end", title: "End", unit: "nanoseconds", width: 96,
		help: "End of its last instruction" },
];

function cellOf(node: TreeNode, column: string): Cell {
	if (column === "busy") return node.busyNs;
	if (column === "span") return node.endNs - node.startNs;
	if (column === "start") return node.startNs;
	if (column === "end") return node.endNs;
	if (column === "label") return node.label;
	if (column === "instructions")
		return ENGINES.reduce((now, engine) => now +
			sum(node.row[`${engine}_engine_instruction_count`]), 0);
	return node.row[column] ?? null;
}

export function OperatorTablePanel({ context }: { context: ProfileContext }) {
	const load = useLoad(() => treeOf(context), [context]);
	return (
		<Panel label="Operator table">
			<Loaded load={load} what="operators">{(roots) => roots.length
				? <TreeTable context={context} roots={roots} />
				: <Empty title="No operators known">
					The NEFF has no framework names. Compile with XLA debug information, as the guide on
					capturing explains, to see modules and operators here.
				</Empty>}</Loaded>
		</Panel>
	);
}

function TreeTable({ context, roots }: { context: ProfileContext; roots: TreeNode[] }) {
	const [open, setOpen] = useState<ReadonlySet<string>>(() => openTo(roots, 1));
	const [filter, setFilter] = useState("");
	const [order, setOrder] = useState<{ column: string; down: boolean } | null>(null);
	const [cursor, setCursor] = useState(0);
	const [scroll, setScroll] = useState({ top: 0, height: 400 });
	const chosen = useStore(chosenNode(context));
	const highlight = useStore(context.highlight);
	const body = useRef<HTMLDivElement>(null);
	const lines = useMemo(() => linesOf(roots, { open, filter, order }, cellOf),
		[roots, open, filter, order]);
	useEffect(() => {
		if (body.current) setScroll({ top: body.current.scrollTop, height: body.current.clientHeight });
	}, []);

	const toggle = (path: string, want?: boolean) => setOpen((now) => {
		const next = new Set(now);
		if (want ?? !now.has(path)) next.add(path);
		else next.delete(path);
		return next;
	});
	const moveTo = (at: number) => {
		const next = Math.max(0, Math.min(lines.length - 1, at));
		setCursor(next);
		scrollToRow(body.current, next, ROW);
	};
	const onKey = (event: KeyboardEvent) => {
		const line = lines[cursor];
		if (event.key === "ArrowDown") moveTo(cursor + 1);
		else if (event.key === "ArrowUp") moveTo(cursor - 1);
		else if (event.key === "Home") moveTo(0);
		else if (event.key === "End") moveTo(lines.length - 1);
		else if (!line) return;
		else if (event.key === "ArrowRight") toggle(line.node.path, true);
		else if (event.key === "ArrowLeft") toggle(line.node.path, false);
		else if (event.key === "Enter") zoomToNode(context, line.node);
		else if (event.key === "h") toggleHighlight(context, line.node);
		else return;
		event.preventDefault();
	};
	const sort = (column: string) => setOrder(order?.column !== column ? { column, down: true }
		: order.down ? { column, down: false } : null);
	const template = `minmax(240px, 1fr) ${COLUMNS.map((column) => `${column.width}px`).join(" ")}`;
	const [first, last] = visibleRange(lines.length, ROW, scroll.top, scroll.height);
	return (
		<div class="dt">
			<div class="dt-bar">
				<input class="pn-input dt-filter" type="search" placeholder="Filter operators"
					value={filter}
					aria-label="Filter operators" onInput={(event) => setFilter(event.currentTarget.value)} />
				<Button onClick={() => setOpen(openTo(roots, 99))}>Expand all</Button>
				<Button onClick={() => setOpen(new Set())}>Collapse all</Button>
				{highlight ? <Button onClick={() => context.highlight.set(null)}>Stop
					highlighting</Button> : null}
				<span class="pn-spring" />
				<span class="pn-dim">Click zooms, right click or H highlights</span>
			</div>
			<div class="dt-scroll" role="treegrid" aria-label="Operators"
				tabIndex={0} ref={body} onKeyDown={onKey}
				onScroll={(event) => setScroll({ top: event.currentTarget.scrollTop,
					height: event.currentTarget.clientHeight })}>
				<div class="dt-inner">
					<div class="dt-head" role="row" style={{ gridTemplateColumns: template }}>
						{[{ name: "label", title: "Operator", help: "" }, ...COLUMNS].map((column, i) => (
							<div key={column.name} role="columnheader" class={i ? "dt-title dt-right" :
								"dt-title"}
								aria-sort={order?.column !== column.name ? "none" : order.down ? "descending"
									: "ascending"}>
								<button type="button" class="dt-sort" tabIndex={-1} title={column.help}
									onClick={() => sort(column.name)}>{column.title}
									{order?.column === column.name ? (order.down ? " ↓" : " ↑") : ""}</button>
							</div>
						))}
					</div>
					<div class="dt-rows" style={{ height: `${lines.length * ROW}px` }}>
						{lines.slice(first, last).map((line, k) => <TreeRow key={line.node.path}
							context={context}
							line={line} at={first + k} isCursor={cursor === first + k} template={template}
							isChosen={chosen === line.node.path} toggle={() => toggle(line.node.path)}
							point={() => setCursor(first + k)} />)}
					</div>
				</div>
				{lines.length ? null : <p class="dt-empty">No operator path contains this text.</p>}
			</div>
		</div>
	);
}

function TreeRow(props: { context: ProfileContext; line: TreeLine; at: number; isCursor: boolean;
	isChosen: boolean; template: string; toggle: () => void; point: () => void }) {
	const { context, line: { node, isOpen } } = props;
	const parent = node.children.length > 0;
	return (
		<div role="row" aria-level={node.depth + 1} aria-selected={props.isCursor}
			{...(parent ? { "aria-expanded": isOpen } : {})}
			class={`dt-row dt-choosable${props.isChosen ? " dt-current" : ""}`}
			style={{ gridTemplateColumns: props.template, top: `${props.at * ROW}px` }}
			onClick={() => {
				props.point();
				zoomToNode(context, node);
			}}
			onContextMenu={(event) => {
				event.preventDefault();
				props.point();
				toggleHighlight(context, node);
			}}>
			<div role="gridcell" class="dt-cell ot-name" title={node.path}
				style={{ paddingLeft: `${8 + node.depth * 16}px` }}>
				<button type="button" tabIndex={-1} class={parent ? "ot-twist" : "ot-twist ot-leaf"}
					aria-label={isOpen ? "Collapse" : "Expand"}
					onClick={(event) => {
						event.stopPropagation();
						props.toggle();
					}}>{parent ? (isOpen ? "▾" : "▸") : ""}</button>
				{node.label}
			</div>
			{COLUMNS.map((column) => {
				const cell = cellOf(node, column.name);
				const isTime = column.name === "start" || column.name === "end";
				return (
					<div key={column.name} role="gridcell" class="dt-cell dt-right"
						title={exactCell(cell, column.unit)}>
						{isTime ? formatNs(Number(cell), 7) : sum(cell) === 0 ? NOTHING
							: formatCell(cell, column.unit)}
					</div>
				);
			})}
		</div>
	);
}
