// SPDX-License-Identifier: Apache-2.0
// All fields of the selected event with explanations, its dependencies and, for system events, its
// attributes and flow.

import { useState } from "preact/hooks";
import type { EventDetails, Field } from "../../api/types.ts";
import type { EventRef, ProfileContext } from "../../contract.ts";
import { exactCell, formatCell, formatNs, titleOf, unitOf } from "../../format.ts";
import { useStore } from "../../store.ts";
import { DependencyCards } from "./event_dependencies.tsx";
import { AttributeList, DeviceLinks, FlowChain } from "./event_system.tsx";
import { parseOperands } from "./operands.ts";
import { Button, copyAndNotify, CopyIcon, Empty, Explained, Loaded, Panel, Tabs,
	Toggle } from "../parts/parts.tsx";
import { ResultPager } from "../search/result_pager.tsx";
import { useLoad } from "../parts/use_load.ts";
import { query, text, timeOf } from "../parts/data.ts";
import "./event_details.css";

const GROUPS = ["Timing", "Identity", "Operation", "Memory", "Kernel", "Model", "Source",
	"Details"];
/** Ids of the compiler's intermediate forms and checksums: nobody else can read them. */
const INTERNAL = /^raw_|^(penguin|bir)_id$|^crc|_chain$/;
type Tab = "event" | "dependencies" | "attributes" | "flow";

export function EventDetailsPanel({ context }: { context: ProfileContext }) {
	const selected = useStore(context.selected);
	const [tab, setTab] = useState<Tab>("event");
	const isSystem = selected?.table === "SystemProfileEvents";
	const tabs: { id: Tab; title: string }[] = isSystem
		? [{ id: "event", title: "Event" }, { id: "attributes", title: "Attributes" },
			{ id: "flow", title: "Flow" }]
		: [{ id: "event", title: "Event" }, { id: "dependencies", title: "Dependencies" }];
	const shown = tabs.some((one) => one.id === tab) ? tab : "event";
	if (!selected)
		return (
			<Panel label="Event details" bar={<ResultPager context={context} />}>
				<Empty title="No event selected">
					Click an event in the timeline, or step through search results, to see all of its fields.
				</Empty>
			</Panel>
		);
	return (
		<Panel label="Event details" bar={<>
			<Tabs label="Views of the event" value={shown} tabs={tabs} change={setTab} />
			<span class="pn-spring" /><ResultPager context={context} />
		</>}>
			{shown === "dependencies" ? <DependencyCards context={context} event={selected} />
				: <EventBody context={context} event={selected} tab={shown} />}
		</Panel>
	);
}

function EventBody({ context, event, tab }: { context: ProfileContext; event: EventRef;
	tab: Tab }) {
	const load = useLoad((signal) => context.api.event(event, signal),
		[context, event.table, event.row]);
	return (
		<Loaded load={load} what="the event">
			{(details) => tab === "attributes" ? <AttributeList context={context} details={details} />
				: tab === "flow" ? <FlowChain context={context} details={details} />
					: <FieldGroups context={context} details={details} />}
		</Loaded>
	);
}

export function isMissing(field: Field): boolean {
	return field.value === null || field.value === "" ||
		(Array.isArray(field.value) && field.value.length === 0);
}

function headline(details: EventDetails): string {
	const named = ["opcode", "name", "operation", "variable", "queue_name", "hlo_name", "node_name",
		"description"];
	for (const name of named) {
		const field = details.fields.find((one) => one.name === name);
		if (field && !isMissing(field)) return String(field.value);
	}
	return details.table;
}

function FieldGroups({ context, details }: { context: ProfileContext; details: EventDetails }) {
	const [showMissing, setShowMissing] = useState(false);
	const missing = details.fields.filter(isMissing).length;
	const from = timeOf(context, details.start_ns);
	const to = timeOf(context, details.end_ns);
	const duration = Number(details.fields.find((field) => field.name === "duration_ns")?.value
		?? to - from);
	const groups = GROUPS.map((group) => ({
		group,
		fields: details.fields.filter((field) =>
			(GROUPS.includes(field.group) ? field.group : "Details") === group &&
			!INTERNAL.test(field.name) && (showMissing || !isMissing(field))),
	})).filter((one) => one.fields.length);
	const internal = details.fields.filter((field) => INTERNAL.test(field.name) &&
		(showMissing || !isMissing(field)));
	const json = () => JSON.stringify(Object.fromEntries(
		details.fields.map((field) => [field.name, field.value])), null, "\t");
	return (
		<div class="pn-scroll">
			<header class="ed-head">
				<h2>{headline(details)}</h2>
				<span class="pn-badge">{details.table}</span>
				{Number.isFinite(from) ? <span class="pn-dim">
					{formatNs(duration)} from {formatNs(from, 7)}</span> : null}
				<span class="pn-spring" />
				<DeviceLinks context={context} details={details} />
				<Button onClick={() => context.zoomTo(from, Math.max(to, from + 1))}>Zoom to it</Button>
				<Button onClick={() => void copyAndNotify(context, json(), "Event copied as JSON.")}>
					Copy as JSON</Button>
				{missing ? <Toggle label={`Show ${missing} empty`} on={showMissing}
					change={setShowMissing} /> : null}
			</header>
			<div class="ed-groups">
				{groups.map(({ group, fields }) => (
					<section key={group} class="pn-group">
						<h3>{group}</h3>
						<dl>{fields.map((field) => <FieldRow
							key={field.name} context={context} field={field} />)}</dl>
					</section>
				))}
				<StackTrace context={context} details={details} />
				{internal.length ? <details class="pn-group">
					<summary>Compiler internals ({internal.length})</summary>
					<dl>{internal.map((field) => <FieldRow
						key={field.name} context={context} field={field} />)}</dl>
				</details> : null}
			</div>
		</div>
	);
}

/** The calls of the framework that led to an instruction. */
function StackTrace({ context, details }: { context: ProfileContext; details: EventDetails }) {
	const ids = details.fields.find((field) => field.name === "stack_frame_ids")?.value;
	const frame = /^\[(\d+)/.exec(String(ids ?? ""))?.[1];
	const load = useLoad(async (signal) => frame
		? query(context, "stack_trace", { frame }, 200, signal) : [], [context, frame]);
	if (!frame) return null;
	return (
		<section class="pn-group">
			<h3>Framework stack trace</h3>
			<Loaded load={load} what="the stack trace">
				{(calls) => (
					<ol class="ed-stack">
						{calls.map((call) => (
							<li key={text(call["depth"])}>
								<code>{text(call["function_name"]) || "?"}</code>
								<span class="pn-dim">{text(call["file_name"]) || "?"}
									{call["line_number"] == null ? "" : `:${text(call["line_number"])}`}</span>
							</li>
						))}
					</ol>
				)}
			</Loaded>
		</section>
	);
}

function FieldRow({ context, field }: { context: ProfileContext; field: Field }) {
	const unit = unitOf(field.name, field.unit);
	const isTime = unit === "nanoseconds" && /_ts$|^timestamp$/.test(field.name);
	const time = isTime ? timeOf(context, field.value) : NaN;
	const shown = Number.isFinite(time) ? formatNs(time, 7) : formatCell(field.value, unit);
	const isOperands = field.name.endsWith("operands") && !isMissing(field);
	const copy = () => void copyAndNotify(context, exactCell(field.value),
		`${titleOf(field.name)} copied.`);
	return (
		<div class={isOperands || shown.length > 44 ? "ed-field ed-long" : "ed-field"}>
			<dt><Explained text={titleOf(field.name)} help={field.description} /></dt>
			<dd title={exactCell(field.value, unit)}>
				<span class={isOperands ? "pn-mono" : ""}>{shown}</span>
				<button type="button" class="ed-copy" aria-label={`Copy ${titleOf(field.name)}`}
					onClick={copy}><CopyIcon /></button>
			</dd>
			{isOperands ? <OperandList text={String(field.value)} /> : null}
		</div>
	);
}

/** The parts of the operands with their meaning. */
function OperandList({ text }: { text: string }) {
	const parts = parseOperands(text);
	if (!parts.length) return null;
	return (
		<details class="ed-operands">
			<summary>What the parts mean</summary>
			<ul>
				{parts.map((part, i) => (
					<li key={i} class={`ed-part ed-part-${part.kind}`}>
						<code>{part.text}</code>
						<span><b>{part.title}.</b> {part.meaning}</span>
					</li>
				))}
			</ul>
		</details>
	);
}
