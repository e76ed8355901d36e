// SPDX-License-Identifier: Apache-2.0
// Cards with findings and system information.

import type { ProfileContext } from "../../contract.ts";
import { firstRow, text } from "../../panels/parts/data.ts";
import { Loaded, Metric } from "../../panels/parts/parts.tsx";
import { useLoad } from "../../panels/parts/use_load.ts";
import { Card } from "./card.tsx";

const SEVERITY = ["", "Hint", "Worth a look", "High impact"];

export function FindingsCard({ context, isAll }: { context: ProfileContext; isAll: boolean }) {
	const load = useLoad((signal) => context.api.insights(signal), [context]);
	return <Card title={isAll ? "Findings" : "Findings about the whole profile"} wide><Loaded
		load={load} what="findings">{({ findings }) => findings.length
		? <ol class="sm-findings">
			{[...findings].sort((a, b) => b.severity - a.severity).map((finding) => (
				<li key={finding.title} class={`sm-finding sm-severity-${finding.severity}`}>
					<span class="sm-severity">{finding.unit === "errors" ? "Fix first"
						: SEVERITY[finding.severity] ?? "Hint"}</span>
					<h3>{finding.title}</h3>
					<p>{finding.cause}</p>
					<p class="sm-advice">{finding.advice}</p>
				</li>
			))}
		</ol>
		: <p class="sm-none">
			Nothing stands out: no rule found a problem worth fixing.</p>}</Loaded></Card>;
}

const SHOWN: [string, string][] = [
	["instance_type", "Machine"], ["neuron_device_idx", "Device"],
	["num_physical_cores", "Physical cores"], ["compiler_version", "Compiler"],
	["runtime_version", "Runtime"], ["driver_version", "Driver"],
	["collectives_version", "Collectives"], ["explorer_version", "Explorer"],
	["profile_schema_version", "Schema"],
];

export function SystemInformationCard({ context }: { context: ProfileContext }) {
	const load = useLoad((signal) => firstRow(context, "Metadata", signal), [context]);
	return <Card title="System information"><Loaded load={load} what="versions">{(about) =>
		<dl class="sm-list">{SHOWN.filter(([name]) => text(about?.row[name])).map(([name, title]) =>
			<Metric key={name} name={title} value={text(about?.row[name])}
				help={about?.columns.find((column) => column.name === name)?.description
					?? ""} />)}</dl>}</Loaded></Card>;
}
