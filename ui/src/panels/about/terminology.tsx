// SPDX-License-Identifier: Apache-2.0
// Explains terms and metrics: general terms first, then all columns of all tables.

import { useState } from "preact/hooks";
import type { ProfileContext } from "../../contract.ts";
import { titleOf } from "../../format.ts";
import { fetchTable, namedRows, text } from "../parts/data.ts";
import { Choice, Empty, Loaded, Panel } from "../parts/parts.tsx";
import { TERMS } from "./terms.ts";
import { useLoad } from "../parts/use_load.ts";
import "./terminology.css";

export function TerminologyPanel({ context }: { context: ProfileContext }) {
	const [filter, setFilter] = useState("");
	const [table, setTable] = useState("Summary");
	const load = useLoad(async (signal) => namedRows(await fetchTable(context, "SchemaFields", {
		columns: ["table_name", "field_name", "field_description", "field_unit"] }, signal)),
			[context]);
	const word = filter.trim().toLowerCase();
	const holds = (...texts: string[]) => texts.some((one) => one.toLowerCase().includes(word));
	const terms = TERMS.filter(([name, meaning]) => holds(name, meaning));
	return (
		<Panel label="Terminology" bar={<input class="pn-input dt-filter" type="search" value={filter}
			placeholder="Find a term" aria-label="Find a term"
			onInput={(event) => setFilter(event.currentTarget.value)} />}>
			<div class="pn-scroll te">
				{terms.length ? <section><h3>Words</h3>
					<dl>{terms.map(([name, meaning]) => <div
						key={name} class="te-term"><dt>{name}</dt><dd>{meaning}</dd></div>)}</dl>
				</section> : null}
				<Loaded load={load} what="columns">{(rows) => {
					const tables = [...new Set(rows.map((row) => text(row["table_name"])))];
					const shown = rows.filter((row) => (word !== "" || text(row["table_name"]) === table) &&
						holds(text(row["field_name"]), titleOf(text(row["field_name"])),
							text(row["field_description"])));
					if (!shown.length && !terms.length)
						return <Empty title="Not found">No matching terms.</Empty>;
					return <section>
						<h3>Table columns {word ? null : <Choice label="Table" hideLabel
							value={table} change={setTable}
							options={tables.map((name) => ({ value: name, text: name }))} />}</h3>
						<dl>{shown.slice(0, 400).map((row) => (
							<div key={`${text(row["table_name"])}.${text(row["field_name"])}`} class="te-term">
								<dt>{word ? `${text(row["table_name"])}.` : ""}{text(row["field_name"])}</dt>
								<dd>{text(row["field_description"])}</dd>
							</div>
						))}</dl>
					</section>;
				}}</Loaded>
			</div>
		</Panel>
	);
}
