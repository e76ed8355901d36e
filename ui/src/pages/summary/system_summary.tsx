// SPDX-License-Identifier: Apache-2.0
// The summary of a system profile: what ran where, memory, and the device profiles behind it.

import { useState } from "preact/hooks";
import type { ProfileContext } from "../../contract.ts";
import { formatBytes, formatInteger, formatNs } from "../../format.ts";
import { ask, fetchTable, firstRow, namedRows, num, sum, text } from "../../panels/data.ts";
import { DataTable } from "../../panels/data_table.tsx";
import { Choice, Loaded } from "../../panels/parts.tsx";
import { SystemCurve } from "../../panels/system_curves.tsx";
import { useLoad } from "../../panels/use_load.ts";
import { Card } from "./card.tsx";
import { Figure } from "./compute_cards.tsx";

const OVERVIEW = `SELECT count(*) AS n, count(DISTINCT process_id) AS p, count(DISTINCT instance_id) AS i,
	count(*) FILTER (name = 'nc_exec_running') AS x, sum(duration_ns) FILTER (name = 'nc_exec_running') AS t
	FROM SystemProfileEvents`;

export function OverviewCard({ context }: { context: ProfileContext }) {
	const load = useLoad(async (signal) => ({
		events: (await ask(context, ["SystemProfileEvents"], OVERVIEW, 1, signal))[0] ?? {},
		peak: (await ask(context, ["SystemProfileHbmUsage"],
			"SELECT max(total_bytes) AS b FROM SystemProfileHbmUsage", 1, signal))[0] ?? {},
	}), [context]);
	return <Card title="Overview" wide><Loaded load={load} what="the overview">{({ events, peak }) =>
		<div class="sm-figures">
			<Figure name="Recorded" value={formatNs(context.endNs)} help="From the first event to the end of the last." />
			<Figure name="Events" value={formatInteger(sum(events["n"]))} help="Calls, executions and instants that were recorded." />
			<Figure name="Processes" value={formatInteger(sum(events["p"]))} help="Processes that were traced."
				note={`on ${formatInteger(sum(events["i"]))} ${sum(events["i"]) === 1 ? "machine" : "machines"}`} />
			<Figure name="Executions" value={formatInteger(sum(events["x"]))} help="Times a core ran a model (nc_exec_running)."
				note={`${formatNs(sum(events["t"]))} in all`} />
			<Figure name="Peak of one HBM" value={formatBytes(sum(peak["b"]))} help="The most that one device memory held." />
		</div>}</Loaded></Card>;
}

const MODELS = `SELECT json_extract_string(extra_attributes_json, '$.model_id') AS m, process_id AS p, count(*) AS n,
	sum(duration_ns) AS t FROM SystemProfileEvents WHERE name = 'nc_exec_running' GROUP BY ALL`;

const COLUMNS = [
	{ name: "name", title: "Device profile", width: 300 }, { name: "process", title: "Process",
		unit: "id" },
	{ name: "cores", title: "Cores" }, { name: "calls", title: "Calls",
		help: "Times the model ran on a core" },
	{ name: "total", title: "Total time", unit: "nanoseconds", help: "Of all these calls" },
	{ name: "time", title: "Profiled time", unit: "nanoseconds" }, { name: "mfu", title: "MFU",
		unit: "fraction" },
	{ name: "hfu", title: "HFU", unit: "fraction" }, { name: "mbu", title: "MBU", unit: "fraction" },
	{ name: "cc", title: "CC active", unit: "fraction" },
];

export function DeviceTableCard({ context }: { context: ProfileContext }) {
	const [process, setProcess] = useState("");
	const load = useLoad(async (signal) => {
		const list = namedRows(await fetchTable(context, "DeviceProfileList", {}, signal));
		const models = await ask(context, ["SystemProfileEvents"], MODELS, 10_000, signal).catch(() => []);
		return Promise.all(list.map(async (row) => {
			const name = text(row["device_profile_name"]);
			const profile = context.details.devices.find((device) => device.name === name)?.profile ?? null;
			const own = models.filter((model) => text(model["m"]) !== "" && text(model["m"])
				=== text(row["model_id"]));
			const metrics = profile ? await metricsOf(context, profile, signal) : null;
			return { profile, process: text(row["process_id"]), cells: [name, row["process_id"] ?? null,
				metrics?.cores ?? null, own.reduce((now, one) => now + num(one["n"]), 0) || null,
				own.reduce((now, one) => now + num(one["t"]), 0) || null,
					...(metrics?.cells ?? [null, null, null, null, null])] };
		}));
	}, [context]);
	return <Card title="Device profiles" wide><Loaded load={load} what="device profiles">{(rows) => {
		if (!rows.length) return <p class="sm-none">No device profile was captured with this system
			profile.</p>;
		const processes = [...new Set(rows.map((row) => row.process))];
		const shown = rows.filter((row) => !process || row.process === process);
		return <div class="sm-table" style={{ height: `${Math.min(360, 84 + 22 * shown.length)}px` }}><DataTable label="Device profiles" columns={COLUMNS} rows={shown.map((row) => row.cells)}
			bar={processes.length > 1 ? <Choice label="Process" value={process} change={setProcess}
				options={[{ value: "", text: "all" },
					...processes.map((value) => ({ value, text: value }))]} /> : null}
			choose={(_, i) => {
				const profile = shown[i]?.profile;
				if (profile) context.openProfile(profile);
				else context.notify("This device profile was not processed.");
			}} /></div>;
	}}</Loaded></Card>;
}

async function metricsOf(context: ProfileContext, profile: string, signal: AbortSignal) {
	try {
		const api = context.server.of(profile);
		const row = namedRows(await api.table("Summary", { limit: 1 }, signal))[0] ?? {};
		const about = namedRows(await api.table("Metadata", { limit: 1, columns: ["num_physical_cores"] },
			signal))[0] ?? {};
		const value = (name: string) => row[name] ?? null;
		return { cores: about["num_physical_cores"] ?? null, cells: [num(row["total_time"]) * 1e9,
			value("mfu_estimated_percent"), value("hfu_estimated_percent"), value("mbu_estimated_percent"),
			value("cc_op_active_time_percent")] };
	} catch {
		return null; // one that cannot be read leaves its cells empty; the others are worth showing
	}
}

export function SystemSummary({ context }: { context: ProfileContext }) {
	const about = useLoad((signal) => firstRow(context, "SystemProfileMetadata", signal), [context]);
	return (
		<>
			<OverviewCard context={context} />
			<Card title="Device memory" wide><div class="sm-plot"><SystemCurve
				context={context} kind="hbm" /></div></Card>
			<DeviceTableCard context={context} />
			<Card title="Processors"><div class="sm-plot"><SystemCurve
				context={context} kind="cpu" /></div></Card>
			<Card title="Host memory"><div class="sm-plot"><SystemCurve
				context={context} kind="host" /></div></Card>
			<Loaded load={about} what="the profile's description">{(row) => <p class="sm-none sm-wide">
				Recorded from {text(row?.row["first_ts"])} to {text(row?.row["last_ts"])}.</p>}</Loaded>
		</>
	);
}
