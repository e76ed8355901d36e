// SPDX-License-Identifier: Apache-2.0
// A table whose rows are all in memory; only visible rows are rendered. Rows can be sorted,
// filtered, chosen by mouse or keyboard, and copied as tab-separated values; columns can be resized
// and hidden.

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Cell } from "../../api/types.ts";
import { exactCell, formatCell, formatInteger, titleOf } from "../../format.ts";
import { Button, copyText, scrollToRow } from "./parts.tsx";
import {
	arrange, fitWidths, isNumeric, nextOrder, toTsv, visibleRange, type Order, type TableColumn,
} from "./table_model.ts";
import { CutName } from "../../shell/cut_name.tsx";
import "./data_table.css";


const ROW = 22;

interface DataTableProps {
	label: string;
	columns: TableColumn[];
	rows: Cell[][];
	order?: Order | null;
	/** A click or Enter on a row. */
	choose?: (row: Cell[], index: number) => void;
	/** Replaces the formatted value of a cell, unless it returns null. */
	render?: (cell: Cell | undefined, column: TableColumn, row: Cell[]) => ComponentChildren | null;
	current?: number | null; // the index of the marked row
	bar?: ComponentChildren;
	total?: number; // if only some rows were fetched
	empty?: string;
}

export function DataTable(props: DataTableProps) {
	const { columns, rows } = props;
	const [order, setOrder] = useState<Order | null>(props.order ?? null);
	const [filter, setFilter] = useState("");
	const [widths, setWidths] = useState<Record<string, number>>({});
	const [hidden, setHidden] = useState(new Set<string>());
	const [cursor, setCursor] = useState(0);
	const [anchor, setAnchor] = useState(0);
	const [scroll, setScroll] = useState({ top: 0, height: 400 });
	const [copied, setCopied] = useState("");
	const body = useRef<HTMLDivElement>(null);

	const fitted = useMemo(() => fitWidths(columns, rows), [columns, rows]);
	const numeric = useMemo(() => columns.map((_, i) => isNumeric(rows, i)), [columns, rows]);
	const shown = useMemo(() => arrange(rows, columns, filter, order), [rows, columns, filter,
		order]);
	const visible = columns.map((_, i) => i).filter((i) => !hidden.has(columns[i]?.name ?? ""));
	const widthOf = (i: number) => widths[columns[i]?.name ?? ""] ?? fitted[i] ?? 100;
	const template = visible.map((i) => `${widthOf(i)}px`).join(" ");

	useEffect(() => {
		const element = body.current;
		if (!element) return;
		const measure = () => setScroll((now) => ({ ...now, height: element.clientHeight }));
		measure();
		const observer = new ResizeObserver(measure);
		observer.observe(element);
		return () => observer.disconnect();
	}, []);
	useEffect(() => {
		setCursor(0);
		setAnchor(0);
	}, [rows, filter, order]);
	useEffect(() => {
		if (props.current === null || props.current === undefined) return;
		const at = shown.indexOf(props.current);
		if (at >= 0) scrollToRow(body.current, at, ROW);
	}, [props.current, shown]);

	function moveTo(at: number, extend: boolean) {
		const next = Math.max(0, Math.min(shown.length - 1, at));
		setCursor(next);
		if (!extend) setAnchor(next);
		scrollToRow(body.current, next, ROW);
	}
	async function copy(which: number[]) {
		const fine = await copyText(toTsv(columns, rows, which));
		setCopied(fine ? `Copied ${formatInteger(which.length)} rows`
			: "The browser does not allow copying");
		setTimeout(() => setCopied(""), 2500);
	}
	const chosen = () => shown.slice(Math.min(cursor, anchor), Math.max(cursor, anchor) + 1);
	function onKey(event: KeyboardEvent) {
		const page = Math.max(1, Math.floor(scroll.height / ROW) - 2);
		const steps: Record<string, number> = {
			ArrowDown: cursor + 1, ArrowUp: cursor - 1, PageDown: cursor + page, PageUp: cursor - page,
			Home: 0, End: shown.length - 1,
		};
		const to = steps[event.key];
		const withControl = event.ctrlKey || event.metaKey;
		if (to !== undefined) moveTo(to, event.shiftKey);
		else if (event.key === "Enter") activate(cursor);
		else if (withControl && event.key === "c" && !String(getSelection())) void copy(chosen());
		else if (withControl && event.key === "a") {
			setAnchor(0);
			setCursor(shown.length - 1);
		} else return;
		event.preventDefault();
	}
	function activate(at: number) {
		const index = shown[at];
		const row = index === undefined ? undefined : rows[index];
		if (row && index !== undefined) props.choose?.(row, index);
	}

	const [first, last] = visibleRange(shown.length, ROW, scroll.top, scroll.height);
	const low = Math.min(cursor, anchor);
	const high = Math.max(cursor, anchor);
	return (
		<div class="dt">
			<div class="dt-bar">
				<input class="pn-input dt-filter" type="search" placeholder="Filter rows"
					aria-label={`Filter ${props.label}`} value={filter}
					onInput={(event) => setFilter(event.currentTarget.value)} />
				{props.bar}
				<span class="pn-spring" />
				<span class="pn-dim" role="status">{copied ||
					countText(shown.length, rows.length, props.total)}</span>
				<Button kind="quiet" title="Copy the visible rows as tab-separated values"
					onClick={() => void copy(shown)}>Copy</Button>
				<ColumnMenu columns={columns} hidden={hidden} change={setHidden} />
			</div>
			<div class="dt-scroll" role="grid" aria-label={props.label} aria-rowcount={shown.length + 1}
				tabIndex={0} ref={body} onKeyDown={onKey}
				onScroll={(event) => setScroll({ top: event.currentTarget.scrollTop,
					height: event.currentTarget.clientHeight })}>
				<div class="dt-inner">
					<div class="dt-head" role="row" style={{ gridTemplateColumns: template }}>
						{visible.map((i) => <Head key={columns[i]?.name} column={columns[i]!} place={i}
							right={isRight(columns[i], numeric[i])} order={order} width={widthOf(i)}
							sort={() => setOrder(nextOrder(order, i))}
							resize={(width) => setWidths({ ...widths, [columns[i]!.name]: width })} />)}
					</div>
					<div class="dt-rows" style={{ height: `${shown.length * ROW}px` }}>
						{shown.slice(first, last).map((index, k) => {
							const at = first + k;
							const row = rows[index] ?? [];
							return (
								<div key={index} role="row" aria-rowindex={at + 2}
									aria-selected={at >= low && at <= high}
									class={`dt-row${props.current === index ? " dt-current" : ""}` +
										(props.choose ? " dt-choosable" : "")}
									style={{ gridTemplateColumns: template, top: `${at * ROW}px` }}
									onClick={(event) => {
										moveTo(at, event.shiftKey);
										if (!event.shiftKey && !String(getSelection())) activate(at);
									}}>
									{visible.map((i) => (
										<div key={i} role="gridcell" title={exactCell(row[i], columns[i]?.unit)}
											class={isRight(columns[i], numeric[i]) ? "dt-cell dt-right" : "dt-cell"}>
											{props.render?.(row[i], columns[i]!, row) ?? <CutName
												name={formatCell(row[i], columns[i]?.unit)} />}
										</div>
									))}
								</div>
							);
						})}
					</div>
				</div>
				{shown.length === 0 ? <p class="dt-empty">
					{filter ? "No matching rows." : props.empty ?? "No rows."}</p> : null}
			</div>
		</div>
	);
}

const isRight = (column: TableColumn | undefined, numeric: boolean | undefined) =>
	column?.align ? column.align === "right" : numeric === true;

function countText(shown: number, here: number, total = here): string {
	const rows = total === 1 ? "row" : "rows";
	if (shown !== here) return `${formatInteger(shown)} of ${formatInteger(here)} rows`;
	return here < total ? `first ${formatInteger(here)} of ${formatInteger(total)} ${rows}`
		: `${formatInteger(here)} ${rows}`;
}

function Head(props: { column: TableColumn; place: number; right: boolean; order: Order | null;
	width: number; sort: () => void; resize: (width: number) => void }) {
	const sorted = props.order?.column === props.place ? props.order : null;
	const start = (event: PointerEvent) => {
		event.preventDefault();
		event.stopPropagation();
		const handle = event.currentTarget as HTMLElement;
		handle.setPointerCapture(event.pointerId);
		const from = event.clientX;
		handle.onpointermove = (move) => props.resize(Math.max(36, props.width + move.clientX - from));
		handle.onpointerup = () => (handle.onpointermove = null);
	};
	return (
		<div role="columnheader" class={props.right ? "dt-title dt-right" : "dt-title"}
			aria-sort={sorted ? (sorted.down ? "descending" : "ascending") : "none"}>
			<button type="button" class="dt-sort" tabIndex={-1} onClick={props.sort}
				title={props.column.help ?? ""}>
				{props.column.title ?? titleOf(props.column.name)}
				{sorted ? <span aria-hidden="true">{sorted.down ? " ↓" : " ↑"}</span> : null}
			</button>
			<span class="dt-grip" onPointerDown={start} aria-hidden="true" />
		</div>
	);
}

function ColumnMenu(props: { columns: TableColumn[]; hidden: Set<string>;
	change: (hidden: Set<string>) => void }) {
	const toggle = (name: string) => {
		const next = new Set(props.hidden);
		if (!next.delete(name)) next.add(name);
		props.change(next);
	};
	return (
		<details class="dt-menu">
			<summary class="pn-button pn-button-quiet">Columns</summary>
			<div class="dt-menu-list">
				{props.columns.map((column) => (
					<label key={column.name} class="pn-toggle">
						<input type="checkbox" checked={!props.hidden.has(column.name)}
							onChange={() => toggle(column.name)} />
						{column.title ?? titleOf(column.name)}
					</label>
				))}
			</div>
		</details>
	);
}
