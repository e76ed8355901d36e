// SPDX-License-Identifier: Apache-2.0
// Cards with findings and system information.

import type { ProfileContext } from "../../contract.ts";
import type { Finding } from "../../api/types.ts";
import { formatFraction, formatNs, formatVersion } from "../../format.ts";
import { firstRow, text, timeOf } from "../../panels/parts/data.ts";
import { Explained, Loaded, Metric } from "../../panels/parts/parts.tsx";
import { useLoad } from "../../panels/parts/use_load.ts";
import { Card } from "./card.tsx";

const SEVERITY = ["", "Hint", "Worth a look", "High impact"];
const CONFIDENCE: Record<string, string> = {
	high: "A replay of the run, which repeats the measurement, gave the gain.",
	medium: "The gain is a sum of measured times: more is not possible.",
	low: "A rule of thumb: the gain is not known, or the run was simulated.",
};

/** "at most 10.1%, 11.3% of the critical path" */
function gainText(finding: Finding): string {
	if (finding.gain_frac === null) return "not known";
	const path = finding.path_frac === null ? ""
		: `; ${formatFraction(finding.path_frac)} of the critical path`;
	return `at most ${formatFraction(finding.gain_frac)} of the run${path}`;
}

function FindingPlace({ context, finding }: { context: ProfileContext; finding: Finding }) {
	const from = timeOf(context, finding.from_ns), to = timeOf(context, finding.to_ns);
	if (Number(finding.to_ns) <= Number(finding.from_ns))
		return finding.place ? <p>{finding.place}</p> : null;
	return <p><button type="button" class="sm-place" title="Show it in the timeline"
		onClick={() => {
			context.zoomTo(from, to);
			context.openProfile(context.name);
		}}>{finding.place || "Show it"}, at {formatNs(from, 6)}</button></p>;
}

export function FindingsCard({ context, isAll }: { context: ProfileContext; isAll: boolean }) {
	const load = useLoad((signal) => context.api.insights(signal), [context]);
	return <Card title={isAll ? "Findings" : "Findings about the whole profile"} wide><Loaded
		load={load} what="findings">{({ findings }) => findings.length
		? <ol class="sm-findings">
			{findings.map((finding) => (
				<li key={finding.kind} class={`sm-finding sm-severity-${finding.severity}`}>
					<span class="sm-severity">{finding.kind === "errors" ? "Fix first"
						: SEVERITY[finding.severity] ?? "Hint"}</span>
					<h3>{finding.title}</h3>
					<p>{finding.measured}</p>
					<FindingPlace context={context} finding={finding} />
					<p>{finding.cause}</p>
					<p class="sm-advice">{finding.advice}</p>
					<p><Explained text="Gain" help={"How much shorter the run could be without it. " +
						"Less than its share of the path if other work then limits the run."} />
					: {gainText(finding)}. <Explained text="Confidence"
						help={CONFIDENCE[finding.confidence] ?? ""} />: {finding.confidence}.</p>
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
		<dl class="sm-list">{SHOWN.map(([name, title]) => ({ name, title,
			value: (name.endsWith("_version") ? formatVersion : String)(text(about?.row[name])),
		})).filter(({ value }) => value).map(({ name, title, value }) =>
			<Metric key={name} name={title} value={value}
				help={about?.columns.find((column) => column.name === name)?.description
					?? ""} />)}</dl>}</Loaded></Card>;
}
