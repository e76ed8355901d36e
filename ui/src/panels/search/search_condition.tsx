// SPDX-License-Identifier: Apache-2.0
// One condition of a search: field, operator, and value with suggestions.

import { useState } from "preact/hooks";
import type { ProfileContext } from "../../contract.ts";
import { titleOf } from "../../format.ts";
import { text } from "../parts/data.ts";
import { Button, Choice } from "../parts/parts.tsx";
import { OPERATORS, type Condition, type Operator } from "./search_model.ts";
import { useLoad, valueOf } from "../parts/use_load.ts";

const MOST_SUGGESTIONS = 40;
let lists = 0;

export function ConditionRow(props: { context: ProfileContext; table: string; names: string[];
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
		<div class="se-line">
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
			{props.add ? <Button kind="quiet" onClick={props.add}>Add condition</Button> : null}
		</div>
	);
}
