// SPDX-License-Identifier: Apache-2.0
// The title of a profile's page: a link to the system profile, the name with a popover about the
// profile, and a link to all ranks.

import { useEffect, useRef, useState } from "preact/hooks";
import type { ProfileDetails, Rank } from "../../api/types.ts";
import { CutName } from "../../shell/cut_name.tsx";
import { Icon } from "../../shell/icons.tsx";
import { formatInteger } from "../../format.ts";
import { agoText, bytesText, momentText } from "../../shell/words.ts";
import { Link } from "../../shell/link.tsx";
import { server } from "../../server.ts";
import "./info.css";

function Facts({ details }: { details: ProfileDetails }) {
	const tables = details.tables.filter((table) => table.row_count !== "0");
	const facts: [string, string][] = [
		["Kind", details.kind === "device" ? "Device profile" : "System profile"],
		["Size", bytesText(Number(details.size_bytes))],
		["Rows", formatInteger(details.row_count)],
		["Duration", `${formatInteger(BigInt(details.to_ns) - BigInt(details.from_ns))} ns`],
		["Added", `${momentText(details.created_ms)} ` +
			`(${agoText(details.created_ms, Date.now()).toLowerCase()})`],
		["Folder", details.folder || "None"],
		["Schema", details.schema_version],
		["Id", details.id],
	];
	return (
		<>
			<dl class="info-facts">
				{facts.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}
			</dl>
			{!!details.sources.length && <h3>Made from</h3>}
			<ul class="info-list">
				{details.sources.map((source) => (
					<li key={source.name}><span class="ui-mono">{source.name}</span>
						<span class="ui-dim">{bytesText(Number(source.size_bytes))}</span></li>
				))}
			</ul>
			{!!tables.length && <h3>Tables with rows</h3>}
			<ul class="info-list">
				{tables.map((table) => (
					<li key={table.name}><span class="ui-mono">{table.name}</span>
						<span class="ui-dim">{formatInteger(table.row_count)}</span></li>
				))}
			</ul>
		</>
	);
}

export function ProfileName({ name, details }: { name: string; details: ProfileDetails | null }) {
	const [isOpen, setOpen] = useState(false);
	const area = useRef<HTMLDivElement>(null);
	useEffect(() => {
		if (!isOpen) return;
		const close = (event: Event) => {
			if (event instanceof KeyboardEvent ? event.key === "Escape"
				: !area.current?.contains(event.target as Node)) setOpen(false);
		};
		addEventListener("pointerdown", close, true);
		addEventListener("keydown", close);
		return () => {
			removeEventListener("pointerdown", close, true);
			removeEventListener("keydown", close);
		};
	}, [isOpen]);
	return (
		<div class="info-area" ref={area}>
			<button type="button" class="top-name" aria-expanded={isOpen} aria-haspopup="dialog"
				aria-label={name} title={`About ${name}`} disabled={!details}
				onClick={() => setOpen(!isOpen)}>
				<CutName name={name} /> <Icon name="info" size={12} />
			</button>
			{isOpen && details && (
				<div class="info-popover" role="dialog" aria-label={`About ${name}`}><Facts
					details={details} /></div>
			)}
		</div>
	);
}

export function ParentLink({ parent }: { parent: string | null }) {
	if (parent === null) return null;
	return (
		<span class="top-parent">
			<Link to={{ page: "analysis", profile: parent }}
				aria-label={`${parent}, the system profile it was captured with`}
				title={`${parent}: the system profile it was captured with`}>
				<CutName name={parent} /></Link>
			<span class="ui-dim" aria-hidden="true">/</span>
		</span>
	);
}

/** Renders nothing for profiles that are not one of several ranks. */
export function AllRanks({ profile }: { profile: string }) {
	const [all, setAll] = useState<Rank[]>([]);
	useEffect(() => {
		setAll([]);
		const asking = new AbortController();
		server.ranks(profile, asking.signal).then(({ ranks }) => setAll(ranks), () => undefined);
		return () => asking.abort();
	}, [profile]);
	// Captures without ranks may be repetitions on one core, which are not parts of one run.
	const isRun = all.every(({ rank }) => rank !== null) ||
		new Set(all.map(({ core, process }) => `${process} ${core}`)).size === all.length;
	if (all.length < 2 || !isRun) return null;
	return <Link class="top-tab" to={{ page: "ranks", profile }}
		title="Compare this rank with the others of its run">All {all.length} ranks</Link>;
}
