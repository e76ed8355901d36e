// SPDX-License-Identifier: Apache-2.0
// Finds events by conditions on the fields of one table, or by words in any field. Matches are
// highlighted in the timeline, can be stepped through, and are counted by value.

import { useEffect, useRef, useState } from "preact/hooks";
import type { EventSummary, SearchPage } from "../../api/types.ts";
import type { ProfileContext, SearchQuery } from "../../contract.ts";
import { formatInteger, formatNs, titleOf } from "../../format.ts";
import { useStore } from "../../store.ts";
import { absolute, rowCount, text, timeOf } from "../parts/data.ts";
import { DataTable } from "../parts/data_table.tsx";
import { Button, Choice, Empty, Explained, Loaded, Panel, Tabs, Toggle } from "../parts/parts.tsx";
import { ResultPager } from "./result_pager.tsx";
import {
	conditionOf, isComplete, orderFields, whereOf, OPERATORS, type Condition, type Operator,
} from "./search_model.ts";
import { placeIn, showResult } from "./search_results.ts";
import { useLoad, valueOf } from "../parts/use_load.ts";
import "./search.css";

const PAGE = 500;
const HELP = "Enter a field and a value, or words to find in any text field. A value between " +
	"slashes is a regular expression: /^conv.*bias$/; append i to ignore case: /softmax/i. " +
	"An event must meet all conditions.";
const blank = (): Condition => ({ field: "", operator: "=", value: "" });

/** Tables with rows in the timeline, the most used ones first. */
function searchableTables(context: ProfileContext): string[] {
	const drawn = new Set(context.tracks.flatMap((track) => track.table ? [track.table] : []));
	const first = ["Instruction", "DmaPacketAggregated", "DmaPacket", "CcOp", "SystemProfileEvents"];
	const all = [...first.filter((name) => drawn.has(name)),
		...[...drawn].filter((name) => !first.includes(name)).sort()];
	return all.filter((name) => rowCount(context, name) > 0);
}

export function SearchPanel({ context }: { context: ProfileContext }) {
	const tables = searchableTables(context);
	const query = useStore(context.search);
	const [table, setTable] = useState(query?.table ?? tables[0] ?? "");
	const [words, setWords] = useState(query?.text ?? "");
	const [conditions, setConditions] = useState<Condition[]>([blank()]);
	const [onlyInView, setOnlyInView] = useState(false);
	const [isFilter, setIsFilter] = useState(query?.isFilter === true);
	const [tab, setTab] = useState<"results" | "statistics">("results");
	const own = useRef<SearchQuery | null>(null);
	const fields = useLoad(async (signal) => table
		? (await context.api.table(table, { limit: 1 }, signal)).columns : [], [context, table]);
	const columns = fields.state === "ready" ? fields.value : [];
	const names = orderFields(columns.map((column) => column.name));

	// Show a search from a link or another panel in the form.
	useEffect(() => {
		if (!query || query === own.current) return;
		setTable(query.table);
		setWords(query.text);
		setIsFilter(query.isFilter === true);
		setConditions(query.where.length ? query.where.map(conditionOf) : [blank()]);
	}, [query]);

	const change = (at: number, next: Condition) =>
		setConditions(conditions.map((one, i) => i === at ? next : one));
	const submit = (event?: Event) => {
		event?.preventDefault();
		const where = table ? conditions.filter(isComplete).map(whereOf) : [];
		if (!where.length && !words.trim())
			return context.notify("Enter a value or words to search for.");
		own.current = { table, where, text: words.trim(), ...(isFilter ? { isFilter } : {}) };
		context.search.set(own.current);
	};
	const filter = (on: boolean) => {
		setIsFilter(on);
		if (!query) return;
		own.current = { table: query.table, where: query.where, text: query.text,
			...(on ? { isFilter: on } : {}) };
		context.search.set(own.current);
	};
	const clear = () => {
		setConditions([blank()]);
		setWords("");
		context.search.set(null);
	};
	return (
		<Panel label="Search">
			<form class="se-form" onSubmit={submit}>
				<div class="se-line">
					<Choice label="In" value={table} change={(next) => {
						setTable(next);
						setConditions([blank()]);
					}} options={[...tables.map((name) => ({ value: name, text: name })),
						{ value: "", text: "Everything" }]} />
					<input class="pn-input se-words" type="search" value={words} aria-label="Words anywhere"
						placeholder="Words in any text" onInput={(event) =>
							setWords(event.currentTarget.value)} />
					<Button type="submit" kind="main">Search</Button>
					<Button onClick={clear} disabled={!query}>Clear</Button>
					<Explained text="How to search" help={HELP} />
				</div>
				{table ? conditions.map((condition, i) => (
					<ConditionRow key={i} context={context} table={table} names={names} condition={condition}
						change={(next) => change(i, next)}
						{...(i === conditions.length - 1
							? { add: () => setConditions([...conditions, blank()]) } : {})}
						{...(conditions.length > 1
							? { remove: () => setConditions(conditions.filter((_, k) => k !== i)) } : {})} />
				)) : null}
			</form>
			{query ? <>
				<div class="se-tabs">
					<Tabs label="Results" value={tab} change={setTab} tabs={[
						{ id: "results", title: "Results" }, { id: "statistics", title: "By value" }]} />
					<Toggle label="Filter" on={isFilter} change={filter}
						title="Show only the matching events in the timeline" />
					<Toggle label="Only in view" on={onlyInView} change={setOnlyInView}
						title="List only events in the time range that the timeline shows" />
					<span class="pn-spring" />
					<ResultPager context={context} />
				</div>
				{tab === "results" ? <Results context={context} query={query} onlyInView={onlyInView} />
					: <Statistics context={context} query={query} names={names} />}
			</> : <Empty title="No search yet">
				Matching events are listed here and highlighted in the timeline.</Empty>}
		</Panel>
	);
}

function Results({ context, query, onlyInView }: { context: ProfileContext; query: SearchQuery;
	onlyInView: boolean }) {
	const view = useStore(context.view);
	const place = useStore(placeIn(context));
	const [offset, setOffset] = useState(0);
	const part = onlyInView ? { from: String(absolute(context, view.fromNs)),
		to: String(absolute(context, view.toNs)) } : {};
	useEffect(() => setOffset(0), [query, onlyInView]);
	const load = useLoad((signal) => context.api.search(query, { ...part, offset, limit: PAGE },
		signal), [context, query, offset, onlyInView, onlyInView ? view : null], onlyInView ? 200 : 0);
	return <Loaded load={load} what="results">{(page) => Number(page.total) === 0
		? <Empty title="No matches">No event meets all conditions
			{onlyInView ? " in the visible time range" : ""}.</Empty>
		: <ResultTable context={context} page={page} offset={offset} move={setOffset}
			current={onlyInView ? null : place.index - offset} isAll={!onlyInView} />}</Loaded>;
}

/** Where an event happened, by the attributes of its track. */
const PLACES = {
	device: [{ name: "pcore_idx", title: "Core", unit: "id" }],
	system: [{ name: "nc_idx", title: "Core", unit: "id" },
		{ name: "thread_id", title: "Thread", unit: "id", width: 90 },
		{ name: "process_id", title: "Process", unit: "id", width: 90 },
		{ name: "instance_id", title: "Machine", width: 170 }],
};

const resultColumns = (kind: keyof typeof PLACES) => [
	{ name: "name", title: "Name", width: 240 },
	...(kind === "device" ? [{ name: "table", title: "Table" },
		{ name: "engine", title: "Engine or queue", width: 130 }] : []),
	{ name: "start", title: "Start", unit: "nanoseconds", width: 110 },
	{ name: "duration", title: "Duration", unit: "nanoseconds", width: 100 },
	...PLACES[kind],
	...(kind === "system" ? [{ name: "table", title: "Table", width: 170 }] : []),
];

type Fact = string | number | null;
const orNull = (text: string | undefined): Fact => text || null;

/** The same order as the columns. */
function resultRow(context: ProfileContext, event: EventSummary): Fact[] {
	const { kind } = context.details;
	const track = context.tracks.find(({ id }) => id === event.track);
	const group = context.tracks.find(({ id }) => id === track?.parent);
	const start = timeOf(context, event.start_ns);
	const places = PLACES[kind].map(({ name }) =>
		orNull(track?.attributes[name] ?? group?.attributes[name]));
	const times = [start, timeOf(context, event.end_ns) - start];
	return kind === "device" ? [event.name, event.table, orNull(event.engine), ...times, ...places]
		: [event.name, ...times, ...places, event.table];
}

function ResultTable(props: { context: ProfileContext; page: SearchPage; offset: number;
	move: (offset: number) => void; current: number | null; isAll: boolean }) {
	const { context, page, offset } = props;
	const total = Number(page.total);
	const rows = page.rows.map((event) => resultRow(context, event));
	return (
		<DataTable label="Search results" columns={resultColumns(context.details.kind)} rows={rows}
			current={props.current}
			render={(cell, column) => column.name === "start" && typeof cell === "number"
				? formatNs(cell, 7) : null}
			choose={(_, i) => {
				const event = page.rows[i];
				if (!event) return;
				// The pager counts all results, so a position within a subset does not apply.
				if (props.isAll) showResult(context, event, offset + i);
				else context.reveal({ table: event.table, row: event.row });
			}}
			bar={<>
				<span>{formatInteger(total)} found, {formatNs(Number(page.duration_ns))} in total</span>
				{total > PAGE ? <span class="pn-pager">
					<Button disabled={!offset} onClick={() => props.move(offset - PAGE)}
						aria-label="Previous page">‹</Button>
					{formatInteger(offset + 1)} to {formatInteger(Math.min(total, offset + PAGE))}
					<Button disabled={offset + PAGE >= total} onClick={() => props.move(offset + PAGE)}
						aria-label="Next page">›</Button>
				</span> : null}
			</>} />
	);
}

function Statistics({ context, query, names }: { context: ProfileContext; query: SearchQuery;
	names: string[] }) {
	const [field, setField] = useState("");
	const shown = names.includes(field) ? field : names[0] ?? "";
	const load = useLoad((signal) => shown && query.table ? context.api.values(query.table, shown,
		{ where: query.where }, signal) : Promise.resolve(null), [context, query, shown]);
	if (!query.table) return <Empty title="Choose a table">Values are counted within one
		table.</Empty>;
	return <Loaded load={load} what="statistics">{(answer) => <DataTable label={`Values of ${shown}`}
		order={{ column: 1, down: true }}
			columns={[{ name: "value", title: titleOf(shown), width: 280 }, { name: "n", title: "Count" },
				{ name: "share", title: "Share", unit: "fraction" },
				{ name: "total", title: "Total time", unit: "nanoseconds" },
				{ name: "time", title: "Share of time", unit: "fraction" },
				{ name: "average", title: "Average time", unit: "nanoseconds" }]}
			rows={(answer?.rows ?? []).map(([value, ...counts]) => [text(value) || "(none)", ...counts])}
			bar={<Choice label="Values of" value={shown} change={setField}
				options={names.map((name) => ({ value: name, text: titleOf(name) }))} />}
			empty="Nothing to count." />}</Loaded>;
}

const MOST_SUGGESTIONS = 40;
let lists = 0;

function ConditionRow(props: { context: ProfileContext; table: string; names: string[];
	condition: Condition; change: (next: Condition) => void; add?: () => void;
	remove?: () => void }) {
	const { context, table, condition } = props;
	const [list] = useState(() => `se-values-${++lists}`);
	const [asked, setAsked] = useState(false);
	// Suggestions are expensive for long tables, so they wait until the input has the focus.
	const typed = condition.value.startsWith("/") ? "" : condition.value;
	const load = useLoad(async (signal) => asked && condition.field
		? (await context.api.values(table, condition.field,
			{ contains: typed, limit: MOST_SUGGESTIONS }, signal)).rows
			.map((row) => text(row[0])).filter((value) => value) : [],
	[context, table, condition.field, condition.value, asked], 250);
	return (
		<div class="se-line se-condition">
			<Choice label="Field" hideLabel value={condition.field}
				options={[{ value: "", text: "Field…" },
					...props.names.map((name) => ({ value: name, text: titleOf(name) }))]}
				change={(field) => props.change({ ...condition, field })} />
			<Choice<Operator> label="Operator" hideLabel value={condition.operator} options={OPERATORS}
				change={(operator) => props.change({ ...condition, operator })} />
			<input class="pn-input se-value" aria-label="Value"
				placeholder="Value, or /regular expression/"
				list={list} value={condition.value} onFocus={() => setAsked(true)}
				onInput={(event) => props.change({ ...condition, value: event.currentTarget.value })} />
			<datalist id={list}>
				{(valueOf(load) ?? []).map((value) => <option key={value} value={value} />)}
			</datalist>
			{props.remove ? <Button kind="quiet" aria-label="Remove this condition"
				onClick={props.remove}>✕</Button> : null}
			{props.add ? <Button kind="quiet" onClick={props.add} title="Add a condition"
				aria-label="Add condition">+</Button> : null}
		</div>
	);
}
