// SPDX-License-Identifier: Apache-2.0
// Source code with the cost of each line. A click on a line highlights its instructions in the
// timeline; selecting an event shows its line. Without the source text, the known lines are listed.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ProfileContext } from "../../contract.ts";
import { formatFlops, formatInteger, formatNs } from "../../format.ts";
import { useStore } from "../../store.ts";
import { absolute, query, text } from "../parts/data.ts";
import { DataTable } from "../parts/data_table.tsx";
import { Button, Choice, Empty, Loaded, Panel, Toggle } from "../parts/parts.tsx";
import { costsByFile, engineText, matchFile, splitLocation,
	type LineCost } from "./source_model.ts";
import { useLoad, valueOf } from "../parts/use_load.ts";
import { visibleRange } from "../parts/table_model.ts";
import "./source_code.css";

const ROW = 18;

export function SourceCodePanel({ context }: { context: ProfileContext }) {
	const [onlyInView, setOnlyInView] = useState(false);
	const [chosen, setChosen] = useState<string | null>(null);
	const view = useStore(context.view);
	const selected = useStore(context.selected);
	const files = useLoad(async () => (await context.api.sourceFiles()).files.map((file) =>
		file.path), [context]);
	const from = onlyInView ? String(absolute(context, view.fromNs)) : undefined;
	const to = onlyInView ? String(absolute(context, view.toNs)) : undefined;
	const costs = useLoad(async (signal) => costsByFile(
		await query(context, "source_lines", { from, to }, 50_000, signal)),
	[context, from, to], onlyInView ? 250 : 0);
	const own = useLoad(async (signal) => {
		if (selected?.table !== "Instruction") return null;
		const event = await context.api.event(selected, signal);
		const value = (name: string) => text(event.fields.find((field) => field.name === name)?.value);
		return splitLocation(value("nki_source_location") || value("bir_debug_info_source_location"));
	}, [context, selected?.table, selected?.row]);
	const place = valueOf(own) ?? null;
	useEffect(() => {
		if (place) setChosen(place.path);
	}, [place?.path, place?.line]);

	const known = valueOf(costs) ?? new Map<string, Map<number, LineCost>>();
	const paths = useMemo(() => [...known].sort(([, a], [, b]) => total(b) - total(a))
		.map(([path]) => path), [known]);
	const stored = valueOf(files) ?? [];
	const all = [...paths,
		...stored.filter((file) => !paths.some((path) => matchFile(path, stored) === file))];
	const current = chosen && all.includes(chosen) ? chosen : all[0] ?? null;
	const highlight = (cost: LineCost) => context.highlight.set({ table: "Instruction",
		where: [`${cost.column}=${cost.location}`], text: "" });
	return (
		<Panel label="Source code" bar={<>
			{current ? <Choice label="File" value={current} change={setChosen}
				options={all.map((path) => ({ value: path, text: shorten(path) }))} /> : null}
			<Toggle label="Only in view" on={onlyInView} change={setOnlyInView}
				title="Count only instructions in the time range that the timeline shows" />
			<span class="pn-spring" />
			<Button onClick={() => context.highlight.set(null)}>Stop highlighting</Button>
		</>}>
			<Loaded load={costs} what="lines">{(byFile) => {
				if (!current) return <Empty title="No source code">
					No instruction has a source line, and no source files are stored. Build kernels
					with debug information, and pass --source-code-root when processing the
					profile.</Empty>;
				const lines = byFile.get(current) ?? new Map<number, LineCost>();
				const file = matchFile(current, stored) ?? (stored.includes(current) ? current : null);
				const line = place?.path === current ? place.line : null;
				return file ? <SourceText key={file} context={context} file={file} lines={lines} line={line}
					choose={highlight} />
					: <LineTable path={current} lines={lines} line={line} choose={highlight} />;
			}}</Loaded>
		</Panel>
	);
}

const total = (lines: Map<number, LineCost>) =>
	[...lines.values()].reduce((now, one) => now + one.durationNs, 0);
const shorten = (path: string) => path.length > 70 ? `…${path.slice(-69)}` : path;

function LineTable(props: { path: string; lines: Map<number, LineCost>; line: number | null;
	choose: (cost: LineCost) => void }) {
	const list = [...props.lines.values()].sort((a, b) => a.line - b.line);
	const current = list.findIndex((cost) => cost.line === props.line);
	return <>
		<p class="pn-note">
			This file is not stored with the profile; these are the lines that instructions refer
			to.</p>
		<DataTable label={`Lines of ${props.path}`} current={current < 0 ? null : current}
			columns={[{ name: "line", title: "Line", unit: "id" }, { name: "count",
				title: "Instructions" },
				{ name: "time", title: "Time", unit: "nanoseconds" }, { name: "flops", title: "FLOPs",
					unit: "flops" },
				{ name: "engines", title: "Engines", width: 300 }]}
			rows={list.map((cost) => [cost.line, cost.count, cost.durationNs, cost.flops || null,
				engineText(cost)])}
			choose={(_, i) => list[i] && props.choose(list[i]!)} />
	</>;
}

function SourceText(props: { context: ProfileContext; file: string; lines: Map<number, LineCost>;
	line: number | null; choose: (cost: LineCost) => void }) {
	const { context, file, lines } = props;
	const load = useLoad((signal) => context.api.sourceText(file, signal), [context, file]);
	return <Loaded load={load} what="the file">{(source) =>
		<Lines source={source.split("\n")} lines={lines} line={props.line} choose={props.choose} />}
			</Loaded>;
}

function Lines(props: { source: string[]; lines: Map<number, LineCost>; line: number | null;
	choose: (cost: LineCost) => void }) {
	const [marked, setMarked] = useState<number | null>(null);
	const [scroll, setScroll] = useState({ top: 0, height: 800 });
	const body = useRef<HTMLDivElement>(null);
	const most = Math.max(1, ...[...props.lines.values()].map((cost) => cost.durationNs));
	useEffect(() => {
		const element = body.current;
		if (!element) return;
		// Without a selected line, show the one that takes most time.
		const hottest = [...props.lines.values()].sort((a, b) => b.durationNs - a.durationNs)[0]?.line;
		const line = props.line ?? hottest;
		if (line) element.scrollTop = Math.max(0, (line - 1) * ROW - element.clientHeight / 2);
		setScroll({ top: element.scrollTop, height: element.clientHeight });
	}, [props.line]);
	const [first, last] = visibleRange(props.source.length, ROW, scroll.top, scroll.height);
	const choose = (line: number) => {
		const cost = props.lines.get(line);
		setMarked(line);
		if (cost) props.choose(cost);
	};
	const onKey = (event: KeyboardEvent) => {
		const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
		const busy = [...props.lines.keys()].sort((a, b) => a - b);
		const now = marked ?? 0;
		const next = step > 0 ? busy.find((line) => line > now)
			: busy.reverse().find((line) => line < now);
		if (!step || next === undefined) return;
		event.preventDefault();
		choose(next);
		body.current?.scrollTo({ top: Math.max(0, (next - 1) * ROW - scroll.height / 2) });
	};
	return (
		<div class="so" ref={body} tabIndex={0} role="listbox" aria-label="Lines of source"
			onKeyDown={onKey}
			onScroll={(event) => setScroll({ top: event.currentTarget.scrollTop,
				height: event.currentTarget.clientHeight })}>
			<div class="so-all" style={{ height: `${props.source.length * ROW}px` }}>
				{props.source.slice(first, last).map((code, i) => {
					const line = first + i + 1;
					const cost = props.lines.get(line);
					const isOwn = line === props.line;
					return (
						<div key={line} role="option" aria-selected={line === marked}
							style={{ top: `${(line - 1) * ROW}px` }}
							class={`so-line${cost ? " so-busy" : ""}${isOwn ? " so-own" : ""}` +
								(line === marked ? " so-marked" : "")}
							title={cost ? `${engineText(cost)}${cost.flops ? `;
								${formatFlops(cost.flops)}` : ""}` : ""}
							onClick={() => choose(line)}>
							<span class="so-number">{line}</span>
							<span class="so-heat" style={{ opacity: cost ? 0.15 + 0.85 * cost.durationNs / most :
								0 }} />
							<span class="so-cost">
								{cost ? `${formatInteger(cost.count)} · ${formatNs(cost.durationNs, 3)}` :
									""}</span>
							<code>{code || " "}</code>
						</div>
					);
				})}
			</div>
		</div>
	);
}
