// SPDX-License-Identifier: Apache-2.0
// The card next to the pointer: describes an event, a pixel of many events, a counter or a band.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { EventDetails, Track } from "../api/types.ts";
import { formatFraction, formatNs, titleOf } from "../format.ts";
import { useStore } from "../store.ts";
import { bandStyleOf } from "./colours.ts";
import { fieldOf, nameOfEvent } from "./events.ts";
import { sharesAt, type CounterHit, type SpanHit } from "./hit.ts";
import type { HoverState, Interaction } from "./interact.ts";
import type { PlacedBand } from "./scene.ts";
import type { Stage } from "./stage.ts";
import { exactNs } from "./ticks.ts";
import { relativeNs } from "./view.ts";

const DETAILS_AFTER_MS = 90;

/** Fields to show, in this order; the details panel has the rest. */
const FIELDS: [string[], string][] = [
	[["opcode"], "Opcode"], [["operation"], "Operation"], [["hlo_name"], "Operator"],
	[["layer", "hierarchy"], "Layer"], [["operands"], "Operands"],
	[["tensor_instruction_type", "instruction_type"], "Type"], [["compiler_pc"], "Compiler PC"],
	[["pc"], "PC"], [["nki_source_location", "bir_debug_info_source_location"], "Source"],
	[["variable"], "Variable"], [["queue_name"], "Queue"],
	[["transfer_bytes", "size_bytes"], "Bytes"], [["trace_event_source"], "Recorded by"],
	[["instance_id"], "Instance"], [["process_id"], "Process"],
	[["thread_id"], "Thread"], [["worker_gid"], "Worker"], [["nc_idx"], "NeuronCore"],
	[["pcore_idx"], "Physical core"], [["framework_stream_id"], "Stream"],
];
const MOST_FIELDS = 10;
const LONGEST = 160;

function Line({ title, children }: { title: string; children: preact.ComponentChildren }) {
	return <div class="tl-card-line"><dt>{title}</dt><dd>{children}</dd></div>;
}

export function HoverCard({ stage, interaction }: { stage: Stage; interaction: Interaction }) {
	const hover = useStore(interaction.hover);
	return hover ? <Card stage={stage} hover={hover} /> : null;
}

/** A popover, because the panel would clip it. */
function Card({ stage, hover }: { stage: Stage; hover: HoverState }) {
	const card = useRef<HTMLDivElement>(null);
	useLayoutEffect(() => card.current!.showPopover?.(), []);
	useLayoutEffect(() => {
		const element = card.current!;
		const { width, height } = element.getBoundingClientRect();
		const right = hover.x + 16 + width > innerWidth - 4 ? hover.x - 16 - width : hover.x + 16;
		const down = hover.y + 18 + height > innerHeight - 4 ? hover.y - 12 - height : hover.y + 18;
		element.style.transform = `translate(${Math.max(right, 4)}px, ${Math.max(down, 4)}px)`;
	});
	const { hit, band } = hover;
	return (
		<div ref={card} class="tl-card" role="tooltip" popover="manual">
			{hit?.kind === "span" &&
				<SpanCard key={`${hit.table}/${hit.row}/${hit.count}`} stage={stage} hit={hit} />}
			{hit?.kind === "counter" && <CounterCard stage={stage} hit={hit} />}
			{band && <BandCard band={band} />}
		</div>
	);
}

function useDetails(stage: Stage, hit: SpanHit): EventDetails | null {
	const [details, setDetails] = useState<EventDetails | null>(null);
	useEffect(() => {
		if (!hit.table) return;
		let isGone = false;
		const timer = setTimeout(() => {
			stage.events.detailsOf({ table: hit.table, row: hit.row })
				.then((answer) => !isGone && setDetails(answer))
				.catch(() => undefined); // the card shows what the tile says
		}, DETAILS_AFTER_MS);
		return () => {
			isGone = true;
			clearTimeout(timer);
		};
	}, []);
	return details;
}

/** The exact duration; if the number is long, also a rounded one. */
const durationText = (ns: number) => (ns < 1e4 ? exactNs(ns) : `${formatNs(ns)} (${exactNs(ns)})`);

function SpanCard({ stage, hit }: { stage: Stage; hit: SpanHit }) {
	const details = useDetails(stage, hit);
	const { originNs } = stage.context;
	const isOne = hit.count === 1;
	const drawn = stage.feed.labels.nameOf(hit.nameId) ?? "";
	// Until the details arrive, times are only as exact as the tile.
	const from = details ? relativeNs(originNs, details.start_ns) : Math.round(hit.fromNs);
	const to = details ? relativeNs(originNs, details.end_ns) : Math.round(hit.toNs);
	// Rounded once, from picoseconds; the difference of two rounded times may be one off.
	const recorded = Number(fieldOf(details, "duration_ns") || NaN);
	const about = details ? "" : "≈ ";
	const lines = details ? FIELDS.flatMap(([names, title]) => {
		const text = fieldOf(details, ...names);
		return text && text !== drawn ? [{ title, text }] : [];
	}).slice(0, MOST_FIELDS) : [];
	return (
		<>
			<h4>{isOne ? drawn || nameOfEvent(details) :
				`${hit.count.toLocaleString("en-US")} events`}</h4>
			<dl>
				<Line title="Row">{hit.placed.row.label}</Line>
				{!isOne && <Line title="Busy">{formatFraction(hit.busy)} of this pixel</Line>}
				{!isOne && drawn && <Line title="Most time">{drawn}</Line>}
				{!isOne && <div class="tl-card-part">Longest of them</div>}
				<Line title="Time">{about}{exactNs(from)} – {exactNs(to)}</Line>
				<Line title="Duration">{about}
					{durationText(Number.isFinite(recorded) ? recorded : to - from)}</Line>
				{lines.map(({ title, text }) => (
					<Line key={title} title={title}>
						{text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}
					</Line>
				))}
			</dl>
		</>
	);
}

/** Without the unit, which the values have. */
const shareTitle = (track: Track) =>
	titleOf((track.attributes["column"] ?? track.name).replace(/_bytes$/, ""));

function CounterCard({ stage, hit }: { stage: Stage; hit: CounterHit }) {
	const text = (value: number) => stage.feed.counterText(hit.track, value);
	const shares = sharesAt(stage.scene(), hit);
	const more = shares.slice(MOST_FIELDS);
	const rest = more.reduce((sum, { mean }) => sum + mean, 0);
	const isFlat = hit.lowest === hit.highest;
	return (
		<>
			<h4>{hit.placed.row.label}</h4>
			<dl>
				<Line title={isFlat ? "Value" : "Mean"}>{text(hit.mean)}</Line>
				{!isFlat && <Line title="Lowest">{text(hit.lowest)}</Line>}
				{!isFlat && <Line title="Highest">{text(hit.highest)}</Line>}
				{!isFlat && <Line title="Last">{text(hit.last)}</Line>}
				<Line title="Time">{exactNs(hit.fromNs)} – {exactNs(hit.toNs)}</Line>
				{shares.length > 0 && <div class="tl-card-part">Made of</div>}
				{shares.slice(0, MOST_FIELDS).map(({ track, mean }) => (
					<Line key={track.id} title={shareTitle(track)}>{text(mean)}</Line>
				))}
				{more.length > 0 && <Line title={`${more.length} more`}>{text(rest)}</Line>}
			</dl>
		</>
	);
}

function BandCard({ band }: { band: PlacedBand }) {
	return (
		<section class="tl-card-band" style={{ borderColor: bandStyleOf(band.band.kind).colour }}>
			<h4>{band.band.title}</h4>
			<p>{band.band.detail}</p>
			<dl>
				<Line title="Time">{exactNs(band.fromNs)} – {exactNs(band.toNs)}</Line>
				<Line title="Duration">{formatNs(band.toNs - band.fromNs)}</Line>
			</dl>
		</section>
	);
}
