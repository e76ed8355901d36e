// SPDX-License-Identifier: Apache-2.0
// An SQL console: tables and columns, query history, and the result as a table or CSV file.

import { useRef, useState } from "preact/hooks";
import type { SqlAnswer } from "../../api/types.ts";
import type { ProfileContext } from "../../contract.ts";
import { formatInteger, unitOf } from "../../format.ts";
import { fetchTable, namedRows, text } from "../parts/data.ts";
import { DataTable } from "../parts/data_table.tsx";
import { Button, Choice, download, Empty, Failed, Loading, Panel } from "../parts/parts.tsx";
import { toCsv } from "../parts/table_model.ts";
import { sentenceOf, useLoad, valueOf } from "../parts/use_load.ts";
import "./sql.css";

const KEY = "neuron-explorer.sql";
const MOST = 50;
let kept: string[] | null = null;

function historyOf(): string[] {
	if (kept) return kept;
	try {
		const parsed: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
		kept = Array.isArray(parsed) ? parsed.filter((one): one is string => typeof one === "string")
			: [];
	} catch {
		kept = [];
	}
	return kept;
}

/** Moves the query to the front of the history. */
function remember(sql: string): string[] {
	const query = sql.trim();
	const others = historyOf().filter((one) => one !== query);
	kept = query ? [query, ...others].slice(0, MOST) : others;
	try {
		localStorage.setItem(KEY, JSON.stringify(kept));
	} catch {
		// no storage in private windows
	}
	return kept;
}

const EXAMPLES: Record<"device" | "system", string> = {
	device: "SELECT engine, opcode, count(*) AS n, sum(duration_ns) AS total_ns\nFROM Instruction\n" +
		"GROUP BY ALL\nORDER BY total_ns DESC\nLIMIT 50",
	system: "SELECT name, count(*) AS n, sum(duration_ns) AS total_ns\nFROM SystemProfileEvents\n" +
		"GROUP BY name\nORDER BY total_ns DESC",
};

type Answer = { state: "none" } | { state: "asking" } | { state: "failed"; sentence: string }
	| { state: "ready"; answer: SqlAnswer };

export function SqlPanel({ context }: { context: ProfileContext }) {
	const [history, setHistory] = useState(() => historyOf());
	const [sql, setSql] = useState(history[0] ?? EXAMPLES[context.details.kind]);
	const [limit, setLimit] = useState("1000");
	const [answer, setAnswer] = useState<Answer>({ state: "none" });
	const asking = useRef<AbortController | null>(null);
	const area = useRef<HTMLTextAreaElement>(null);

	const run = async () => {
		asking.current?.abort();
		const giveUp = (asking.current = new AbortController());
		setAnswer({ state: "asking" });
		setHistory(remember(sql));
		try {
			const answered = await context.api.sql(sql, Number(limit), giveUp.signal);
			if (!giveUp.signal.aborted) setAnswer({ state: "ready", answer: answered });
		} catch (failure) {
			if (!giveUp.signal.aborted) setAnswer({ state: "failed", sentence: sentenceOf(failure) });
		}
	};
	const stop = () => {
		asking.current?.abort();
		setAnswer({ state: "none" });
	};
	const insert = (word: string) => {
		const element = area.current;
		if (!element) return;
		element.setRangeText(word, element.selectionStart, element.selectionEnd, "end");
		setSql(element.value);
		element.focus();
	};
	return (
		<Panel label="SQL" bar={<>
			<Button kind="main" onClick={() => void run()} disabled={!sql.trim()}
				title="Ctrl+Enter">Run</Button>
			{answer.state === "asking" ? <Button onClick={stop}>Stop</Button> : null}
			<Choice label="Row limit" value={limit} change={setLimit}
				options={["100", "1000", "10000"].map((value) => ({ value,
					text: formatInteger(value) }))} />
			<select class="pn-input sq-history" aria-label="History" value=""
				onChange={(event) => {
					const chosen = history[Number(event.currentTarget.value)];
					if (chosen) setSql(chosen);
					event.currentTarget.value = "";
				}}>
				<option value="">History</option>
				{history.map((one, i) => <option key={i} value={i}>{one.replace(/\s+/g, " ").slice(0,
					90)}</option>)}
			</select>
			<span class="pn-spring" />
			{answer.state === "ready" ? <>
				<span class="pn-dim">{answer.answer.is_cut ? "cut off, "
					: ""}{formatInteger(answer.answer.elapsed_ms)} ms</span>
				<Button onClick={() => download(`${context.name}.csv`,
					toCsv(answer.answer.columns, answer.answer.rows),
					"text/csv")}>Save as CSV</Button>
			</> : null}
		</>}>
			<div class="sq-holder"><div class="sq">
				<SchemaBrowser context={context} insert={insert} />
				<div class="sq-main">
					<textarea ref={area} class="pn-input sq-text" rows={6} spellcheck={false} aria-label="SQL"
						value={sql} onInput={(event) => setSql(event.currentTarget.value)}
						onKeyDown={(event) => {
							if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
							event.preventDefault();
							void run();
						}} />
					{answer.state === "ready" ? <Result answer={answer.answer} />
						: answer.state === "failed" ? <Failed sentence={answer.sentence} />
							: answer.state === "asking" ? <Loading what="the result" />
								: <Empty title="Query any table">
									Press Ctrl+Enter to run the query. It can read the tables listed
									here, and nothing else.</Empty>}
				</div>
			</div></div>
		</Panel>
	);
}

function Result({ answer }: { answer: SqlAnswer }) {
	const columns = answer.columns.map((column, i) =>
		({ name: `${column.name}${i ? `\u200b`.repeat(i) : ""}`,
		title: column.name, unit: unitOf(column.name), help: column.type }));
	return <DataTable key={answer.columns.map((column) => column.name).join()} label="Result"
		columns={columns} rows={answer.rows} empty="The query returned no rows." />;
}

function SchemaBrowser({ context, insert }:
	{ context: ProfileContext; insert: (word: string) => void }) {
	const [open, setOpen] = useState<string | null>(null);
	const load = useLoad(async (signal) => namedRows(await fetchTable(context, "SchemaFields", {
		columns: ["table_name", "field_name", "field_type", "field_description"] }, signal)),
			[context]);
	const fields = valueOf(load) ?? [];
	const tables = [...context.details.tables].filter((table) => table.name !== "SchemaFields")
		.sort((a, b) => Number(b.row_count !== "0") - Number(a.row_count !== "0") ||
			(a.name < b.name ? -1 : 1));
	return (
		<nav class="sq-schema" aria-label="Tables">
			{tables.map((table) => (
				<div key={table.name}>
					<button type="button" class={table.row_count === "0" ? "sq-table sq-none" : "sq-table"}
						aria-expanded={open === table.name}
						onClick={() => setOpen(open === table.name ? null : table.name)}
						onDblClick={() => insert(table.name)}>
						<span>{table.name}</span><span class="pn-dim">{formatInteger(table.row_count)}</span>
					</button>
					{open === table.name ? <ul>
						{fields.filter((field) => field["table_name"] === table.name).map((field) => (
							<li key={text(field["field_name"])}>
								<button type="button" class="sq-field" title={text(field["field_description"])}
									onClick={() => insert(text(field["field_name"]))}>
									<span>{text(field["field_name"])}</span>
									<span class="pn-dim">{text(field["field_type"])}</span>
								</button>
							</li>
						))}
					</ul> : null}
				</div>
			))}
		</nav>
	);
}
