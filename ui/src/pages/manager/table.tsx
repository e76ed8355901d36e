// SPDX-License-Identifier: Apache-2.0
// The table of profiles. Long lists are shown in parts, with a button for more.

import { Fragment } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Profile } from "../../api/types.ts";
import { Icon } from "../../shell/icons.tsx";
import { formatInteger } from "../../format.ts";
import { Row, RunRow, SessionRow, type RowActions } from "./row.tsx";
import { namesIn, type FoldedRow } from "./fold.ts";
import { sortedBy, type Sort, type SortKey } from "./list.ts";

const PART = 200;
const COLUMNS: { key: SortKey; title: string; class?: string }[] = [
	{ key: "name", title: "Name", class: "pm-name" },
	{ key: "state", title: "State" },
	{ key: "kind", title: "Kind" },
	{ key: "size", title: "Size", class: "pm-number" },
	{ key: "rows", title: "Rows", class: "pm-number" },
	{ key: "created", title: "Added" },
	{ key: "opened", title: "Last opened" },
	{ key: "folder", title: "Folder" },
];

function Head({ sort, onSort, column }:
	{ sort: Sort; onSort: (sort: Sort) => void; column: (typeof COLUMNS)[number] }) {
	const isSorted = sort.key === column.key;
	return (
		<th scope="col" class={column.class ?? ""}
			aria-sort={isSorted ? (sort.isDescending ? "descending" : "ascending") : "none"}>
			<button type="button" class="pm-sort"
				onClick={() => onSort(sortedBy(sort, column.key))}>
				{column.title}
				<span class={`pm-arrow${isSorted ? " is-on" : ""}` +
					(isSorted && !sort.isDescending ? " is-up" : "")}>
					<Icon name="down" size={10} /></span>
			</button>
		</th>
	);
}

export function ProfileTable({ shown, profiles, chosen, setChosen, sort, onSort, actions }: {
	shown: FoldedRow[];
	profiles: Profile[];
	chosen: Set<string>;
	setChosen: (chosen: Set<string>) => void;
	sort: Sort;
	onSort: (sort: Sort) => void;
	actions: Omit<RowActions, "toggle">;
}) {
	const [part, setPart] = useState(PART);
	const [now, setNow] = useState(Date.now());
	const last = useRef<string | null>(null);
	useEffect(() => {
		const timer = setInterval(() => setNow(Date.now()), 30_000);
		return () => clearInterval(timer);
	}, []);
	const names = namesIn(shown);
	const isAll = names.length > 0 && names.every((name) => chosen.has(name));
	const toggle = (name: string, isRange: boolean) => {
		const next = new Set(chosen);
		const isOn = !chosen.has(name);
		const at = (wanted: string) => shown.findIndex((row) => row.profile.name === wanted);
		const [from, to] = [at(last.current ?? name), at(name)].sort((a, b) => a - b);
		const rows = isRange && from! >= 0 ? shown.slice(from, to! + 1) : [shown[at(name)]!];
		// Folded profiles are chosen with their row.
		for (const one of namesIn(rows)) {
			if (isOn) next.add(one);
			else next.delete(one);
		}
		last.current = name;
		setChosen(next);
	};
	return (
		<div class="pm-scroll">
			<table class="pm-table">
				<thead>
					<tr>
						<th scope="col" class="pm-tick"><input type="checkbox" class="ui-check" checked={isAll}
							aria-label="Select all listed profiles" onClick={() =>
								setChosen(isAll ? new Set() : new Set(names))} /></th>
						<th scope="col" class="pm-star"><span
							class="ui-hidden-text">Favourite</span></th>
						{COLUMNS.map((column) => <Head key={column.key} column={column} sort={sort}
							onSort={onSort} />)}
						<th scope="col" class="pm-actions"><span
							class="ui-hidden-text">Actions</span></th>
					</tr>
				</thead>
				<tbody>
					{shown.slice(0, part).map((row) => (
						<Fragment key={row.profile.name}>
							{row.run && <RunRow run={row.run} columnCount={COLUMNS.length + 3} />}
							<Row row={row} profiles={profiles} now={now}
								isChosen={chosen.has(row.profile.name)}
								actions={{ ...actions, toggle }} />
							{row.isOpen && row.sessions.map((session) => <SessionRow key={session.name}
								row={row} session={session} now={now} />)}
						</Fragment>
					))}
				</tbody>
			</table>
			{shown.length > part && (
				<p class="pm-more"><button type="button" class="ui-button"
					onClick={() => setPart(part + PART)}>
					Show more of {formatInteger(shown.length)}</button></p>
			)}
		</div>
	);
}
