// SPDX-License-Identifier: Apache-2.0
// For system events: attributes, the flow of an execution, and the device profile captured with it.

import type { Cell, EventDetails } from "../../api/types.ts";
import type { ProfileContext } from "../../contract.ts";
import { formatNs } from "../../format.ts";
import { fetchTable, namedRows, query, text, timeOf, type Row } from "../parts/data.ts";
import { callsOf, type Calls } from "./callers.ts";
import { DataTable } from "../parts/data_table.tsx";
import { captureTitle, capturesOf, placeOf } from "./device_match.ts";
import { Button, copyAndNotify, Empty, Loaded, Metric } from "../parts/parts.tsx";
import { useLoad } from "../parts/use_load.ts";

const MOST_LINKS = 4;
export const MOST_FLOW_EVENTS = 2000;

const valueOf = (details: EventDetails, name: string) =>
	details.fields.find((field) => field.name === name)?.value ?? null;

/** The attributes; none if they are not valid JSON. */
function attributesOf(details: EventDetails): Record<string, unknown> {
	try {
		const parsed: unknown = JSON.parse(text(valueOf(details, "extra_attributes_json")) || "{}");
		return typeof parsed === "object" && parsed !== null ? parsed as Record<string, unknown> : {};
	} catch {
		return {};
	}
}

/** Links to the device profiles captured while the event ran, best match first. */
export function DeviceLinks({ context, details }: { context: ProfileContext;
	details: EventDetails }) {
	const where = placeOf(details, text(attributesOf(details)["model_id"] as Cell));
	const load = useLoad(async (signal) => where
		? namedRows(await fetchTable(context, "DeviceProfileList", {}, signal)) : [],
	[context, details.row]);
	if (!where || load.state !== "ready") return null;
	const captures = capturesOf(load.value, where);
	if (!captures.length) return <span class="pn-dim">No device profile was captured with it</span>;
	const profileOf = (name: string) =>
		context.details.devices.find((device) => device.name === name)?.profile ?? null;
	const open = captures.filter(({ name }) => profileOf(name));
	if (!open.length) return <span class="pn-dim">Its device profile was not processed</span>;
	return (
		<>{open.slice(0, MOST_LINKS).map((capture) => (
			<Button key={capture.name} kind="main" title={`Open ${capture.name}`}
				onClick={() => context.openProfile(profileOf(capture.name) ?? "")}>
				{open.length > 1 && capture.core === "" ? capture.name.replace(/^device_profile_/, "Open ")
					: captureTitle(capture, where)}
			</Button>
		))}</>
	);
}

export function AttributeList({ context, details }: { context: ProfileContext;
	details: EventDetails }) {
	const attributes = Object.entries(attributesOf(details)).sort(([a], [b]) => a < b ? -1 : 1);
	if (!attributes.length)
		return <Empty title="No attributes">The runtime recorded no attributes for this event.</Empty>;
	const json = JSON.stringify(Object.fromEntries(attributes), null, "\t");
	return (
		<div class="pn-scroll">
			<div class="ed-head"><span class="pn-spring" />
				<Button onClick={() => void copyAndNotify(context, json, "Attributes copied as JSON.")}>
					Copy as JSON</Button>
			</div>
			<dl class="pn-list pn-pad">{attributes.map(([name, value]) =>
				<Metric key={name} name={name} value={String(value)} />)}</dl>
		</div>
	);
}

interface Chain {
	calls: Calls;
	rows: Row[];
}

async function loadChain(context: ProfileContext, details: EventDetails,
	signal: AbortSignal): Promise<Chain> {
	const callsAround = async (row: string) =>
		callsOf(await query(context, "calls", { row }, 5000, signal), row);
	const calls = await callsAround(details.row);
	const outermost = calls.callers[0];
	// A sibling may have the flow's id.
	if (!calls.flows.length && outermost) calls.flows = (await callsAround(outermost.row)).flows;
	return { calls, rows: calls.flows.length ? await query(context, "flow_events",
		{ flows: calls.flows.join(",") }, MOST_FLOW_EVENTS, signal) : [] };
}

/** The callers of an event and its flow. */
export function FlowChain({ context, details }: { context: ProfileContext;
	details: EventDetails }) {
	const load = useLoad((signal) => loadChain(context, details, signal), [context, details.row]);
	return (
		<Loaded load={load} what="the flow">
			{({ calls, rows }) => {
				const at = rows.findIndex((row) => text(row["row_idx"]) === details.row);
				return <>
					<CallPath context={context} calls={calls} name={text(valueOf(details, "name"))} />
					{rows.length ? <>
						<p class="pn-note">{at < 0 ? `Leads to flow ${calls.flows.join(", ")}`
							: `Flow ${calls.flows.join(", ")}: ${at} upstream, ` +
								`${rows.length - 1 - at} downstream`}</p>
						<FlowTable context={context} rows={rows} current={at} />
					</> : <Empty title="Not part of a flow">
						A flow connects the events of one execution. Neither this event nor a call around it
						has a flow ID.</Empty>}
				</>;
			}}
		</Loaded>
	);
}

function CallPath({ context, calls, name }: { context: ProfileContext; calls: Calls;
	name: string }) {
	if (!calls.callers.length && !calls.calledCount) return null;
	const called = calls.calledCount === 1 ? "1 call" : `${calls.calledCount} calls`;
	return (
		<nav class="ed-path" aria-label="Callers">
			{calls.callers.map((call) => (
				<span key={call.row}>
					<button type="button" class="pn-link" onClick={() =>
						context.reveal({ table: "SystemProfileEvents",
							row: call.row })}>{call.name}</button> ›{" "}
				</span>
			))}
			<b>{name}</b>{calls.calledCount ? <span class="pn-dim"> › {called} inside</span> : null}
		</nav>
	);
}

export function FlowTable({ context, rows, current }: { context: ProfileContext; rows: Row[];
	current: number }) {
	// An event that only leads to the flow has no upstream or downstream.
	const isMember = current >= 0;
	const wayOf = (i: number) => (i < current ? "upstream" : i > current ? "downstream" : "this one");
	const columns = [
		...(isMember ? [{ name: "where", title: "" }] : []),
		{ name: "name", title: "Event", width: 200 },
		{ name: "start", title: "Start", unit: "nanoseconds", width: 104 },
		{ name: "duration_ns", title: "Duration", unit: "nanoseconds" },
		{ name: "trace_event_source", title: "Source" }, { name: "id", title: "Event ID" },
	];
	return (
		<DataTable key={String(isMember)} label="Events of the flow" columns={columns} current={current}
			rows={rows.map((row, i) => [...(isMember ? [wayOf(i)] : []),
				row["name"] ?? null, timeOf(context, row["start_ts"]), row["duration_ns"] ?? null,
				row["trace_event_source"] ?? null, row["id"] ?? null])}
			render={(cell, column) => column.name === "start" && typeof cell === "number"
				? formatNs(cell, 7) : null}
			choose={(_, i) => context.reveal({ table: "SystemProfileEvents",
				row: text(rows[i]?.["row_idx"]) })} />
	);
}
