// SPDX-License-Identifier: Apache-2.0
// The summary of a system profile, for all processes or one: executions, device profiles, memory.

import { useMemo, useState } from "preact/hooks";
import type { ProfileContext } from "../../contract.ts";
import { formatBytes, formatFraction, formatInteger, formatNs } from "../../format.ts";
import { fetchTable, firstRow, namedRows, num, query, sum, text } from "../../panels/parts/data.ts";
import { DataTable } from "../../panels/parts/data_table.tsx";
import { Choice, Loaded } from "../../panels/parts/parts.tsx";
import { SystemCurve } from "../../panels/system/system_curves.tsx";
import { useLoad } from "../../panels/parts/use_load.ts";
import { pluralText } from "../../shell/words.ts";
import { shortened } from "../../timeline/rows.ts";
import { Card } from "./card.tsx";
import { Figure } from "./compute_cards.tsx";
import { FindingsCard } from "./info_cards.tsx";
import {
	deviceLine, parametersOf, processesOf, processKey, type DeviceLine, type Metrics,
	type Process,
} from "./system_model.ts";

interface Props {
	context: ProfileContext;
	process: Process | null;
}


function OverviewCard({ context, process }: Props) {
	const load = useLoad((signal) =>
		query(context, "system_overview", parametersOf(process), 1, signal), [context, process]);
	const { fromNs, toNs } = context.home;
	return <Card title="Overview" wide><Loaded load={load} what="the overview">{([row = {}]) => {
		const capacity = sum(row["hbm_capacity_bytes"]);
		const executions = sum(row["execution_count"]), peak = sum(row["hbm_peak_bytes"]);
		return <div class="sm-figures">
			<Figure name="From first to last event" value={formatNs(sum(row["span_ns"]) || toNs - fromNs)}
				help="CPU and memory usage may have been recorded for longer."
				note={`${formatNs(context.endNs)} recorded`} />
			<Figure name="Events" value={formatInteger(sum(row["event_count"]))}
				help="Recorded calls, executions and instant events."
				note={pluralText(sum(row["thread_count"]), "thread")} />
			<Figure name="Processes" value={formatInteger(sum(row["process_count"]))}
				help="Traced processes."
				note={`on ${pluralText(sum(row["instance_count"]), "machine")}`} />
			<Figure name="Executions" value={formatInteger(executions)}
				help="How often a NeuronCore ran a model (nc_exec_running)."
				note={executions ? `${formatNs(sum(row["execution_time_ns"]))} in total`
					: "of NeuronCores"} />
			<Figure name="Peak HBM usage" value={peak ? formatBytes(peak) : "–"}
				help="Highest usage of any single HBM."
				note={!peak ? "not recorded" : capacity
					? `${formatFraction(sum(row["hbm_peak_frac"]))} of ${formatBytes(capacity)}` : ""} />
		</div>;
	}}</Loaded></Card>;
}

const COLUMNS = [
	{ name: "name", title: "Device profile", width: 256 },
	{ name: "process", title: "Process", unit: "id" },
	{ name: "lnc", title: "LNC", help: "Physical cores per logical core" },
	{ name: "cores", title: "Cores", help: "Logical cores on which the process ran the model" },
	{ name: "total", title: "All calls", unit: "nanoseconds", help: "Total time of all calls" },
	{ name: "calls", title: "Calls", help: "How often the model ran on a core" },
	{ name: "mean", title: "Mean call", unit: "nanoseconds" },
	{ name: "time", title: "Profiled call", unit: "nanoseconds",
		help: "The call that the device profile shows" },
	{ name: "mfu", title: "MFU", unit: "fraction" }, { name: "hfu", title: "HFU", unit: "fraction" },
	{ name: "mbu", title: "MBU", unit: "fraction" },
	{ name: "cc", title: "CC active", unit: "fraction" },
];

const CORE_COLUMNS = [
	{ name: "core", title: "NeuronCore", width: 104, unit: "id" }, { name: "calls", title: "Calls" },
	{ name: "total", title: "Total duration", unit: "nanoseconds" },
	{ name: "mean", title: "Mean call", unit: "nanoseconds" },
	{ name: "longest", title: "Longest call", unit: "nanoseconds" },
];

const tableHeight = (rows: number) => ({ height: `${Math.min(360, 84 + 22 * rows)}px` });

async function loadDevices(context: ProfileContext, process: Process | null, signal: AbortSignal):
Promise<DeviceLine[]> {
	const list = namedRows(await fetchTable(context, "DeviceProfileList", {}, signal));
	const models = await query(context, "executions", parametersOf(process), 10_000, signal)
		.catch(() => []); // without SQL, calls are not counted
	const own = list.filter((row) => !process || text(row["process_id"]) === process.process &&
		text(row["instance_id"]) === process.instance);
	return Promise.all(own.map(async (row) => {
		const name = text(row["device_profile_name"]);
		const profile = context.details.devices.find((device) => device.name === name)?.profile ?? null;
		return deviceLine(row, profile, models,
			profile ? await metricsOf(context, profile, signal) : null);
	}));
}

function DeviceTableCard({ context, process }: Props) {
	const load = useLoad((signal) => loadDevices(context, process, signal), [context, process]);
	const [chosen, setChosen] = useState("");
	return <Card title="Device profiles" wide><Loaded load={load} what="device profiles">{(lines) => {
		if (!lines.length) return <p class="sm-none">No device profile was captured with {process
			? "this process" : "this system profile"}.</p>;
		const line = lines.find(({ cells }) => text(cells[0]) === chosen);
		return <>
			<div class="sm-table" style={tableHeight(lines.length)}>
				<DataTable label="Device profiles" columns={COLUMNS} rows={lines.map((one) => one.cells)}
					current={line ? lines.indexOf(line) : null}
					choose={(row) => setChosen(text(row[0]) === chosen ? "" : text(row[0]))} />
			</div>
			{line ? <Device context={context} line={line} />
				: <p class="sm-none">
					Choose a row to open the device profile and to see its calls on each core.</p>}
		</>;
	}}</Loaded></Card>;
}

function Device({ context, line }: { context: ProfileContext; line: DeviceLine }) {
	const { profile, models } = line;
	return <section aria-label={text(line.cells[0])}>
		<p class="sm-device">
			<b>{text(line.cells[0])}</b>
			{profile ? <button type="button" class="pn-button pn-button-main"
				onClick={() => context.openProfile(profile)}>Open device profile</button>
				: <span class="sm-none">Not processed. Process the directory again without
					--ignore-device-profile.</span>}
		</p>
		{models.length > 0 && <div class="sm-table" style={tableHeight(models.length)}>
			<DataTable label="Calls on each core" columns={CORE_COLUMNS} rows={models.map((row) => [
				row["nc_idx"] ?? null, num(row["execution_count"]), num(row["total_ns"]),
				num(row["mean_ns"]), num(row["longest_ns"])])} />
		</div>}
	</section>;
}

async function metricsOf(context: ProfileContext, profile: string,
	signal: AbortSignal): Promise<Metrics | null> {
	try {
		const api = context.server.of(profile);
		const row = namedRows(await api.table("Summary", { limit: 1 }, signal))[0] ?? {};
		const about = namedRows(await api.table("Metadata",
			{ limit: 1, columns: ["num_physical_cores"] }, signal))[0] ?? {};
		const value = (name: string) => row[name] ?? null;
		return { cores: about["num_physical_cores"] ?? null, cells: [num(row["total_time"]) * 1e9,
			value("mfu_estimated_percent"), value("hfu_estimated_percent"),
			value("mbu_estimated_percent"), value("cc_op_active_time_percent")] };
	} catch {
		return null; // its cells stay empty
	}
}

export function SystemSummary({ context }: { context: ProfileContext }) {
	const about = useLoad((signal) => firstRow(context, "SystemProfileMetadata", signal), [context]);
	const processes = useMemo(() => processesOf(context.tracks), [context]);
	const [chosen, setChosen] = useState("");
	const process = processes.find((one) => processKey(one) === chosen) ?? null;
	return (
		<>
			{processes.length > 1 && <div class="sm-filter sm-wide">
				<Choice label="Process" value={chosen} change={setChosen} options={[
					{ value: "", text: `All ${processes.length}` },
					...processes.map((one) => ({ value: processKey(one),
						text: `${one.process} on ${shortened(one.instance)}` })),
				]} /></div>}
			<OverviewCard context={context} process={process} />
			<FindingsCard context={context} isAll={!process} />
			<DeviceTableCard context={context} process={process} />
			<Card title="Device memory" wide><div class="sm-plot"><SystemCurve
				context={context} kind="hbm" instance={process?.instance ?? ""} /></div></Card>
			<Card title="Processors"><div class="sm-plot"><SystemCurve
				context={context} kind="cpu" instance={process?.instance ?? ""} /></div></Card>
			<Card title="Host memory"><div class="sm-plot"><SystemCurve
				context={context} kind="host" instance={process?.instance ?? ""} /></div></Card>
			<Loaded load={about} what="the profile's description">{(row) => <p class="sm-none sm-wide">
				Recorded from {text(row?.row["first_ts"])} to {text(row?.row["last_ts"])}.</p>}</Loaded>
		</>
	);
}
