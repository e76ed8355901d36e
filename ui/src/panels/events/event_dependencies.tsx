// SPDX-License-Identifier: Apache-2.0
// The predecessors and successors of an event, one card each.

import type { EventSummary } from "../../api/types.ts";
import type { EventRef, ProfileContext } from "../../contract.ts";
import { formatInteger, formatNs } from "../../format.ts";
import { Button, copyAndNotify, CopyIcon, Empty, Loaded } from "../parts/parts.tsx";
import { useLoad } from "../parts/use_load.ts";

const KINDS: Record<string, string> = {
	FLOW_DEPENDENCE: "Data", ANTI_DEPENDENCE: "Read before overwrite",
	OUTPUT_DEPENDENCE: "Order of writes", ORDERED: "Order",
};

export function DependencyCards({ context, event }: { context: ProfileContext; event: EventRef }) {
	const load = useLoad((signal) => context.api.dependencies(event, signal),
		[context, event.table, event.row]);
	return (
		<Loaded load={load} what="dependencies">
			{(all) => all.total_predecessors + all.total_successors === 0
				? <Empty title="No dependencies known">
					The compiler recorded nothing that this event waited for, or that waited for it.
				</Empty>
				: <div class="pn-scroll ed-sides">
					<Side context={context} title="Waited for" events={all.predecessors}
						total={all.total_predecessors} />
					<Side context={context} title="Waited for by" events={all.successors}
						total={all.total_successors} isLater />
				</div>}
		</Loaded>
	);
}

function Side(props: { context: ProfileContext; title: string; events: EventSummary[];
	total: number; isLater?: boolean }) {
	const { context, events, total } = props;
	const role = props.isLater ? "successors" : "predecessors";
	return (
		<section class={props.isLater ? "ed-successors" : "ed-predecessors"}>
			<h3>{props.title} <span class="pn-dim">
				{events.length < total ? `${formatInteger(events.length)} of ` : ""}
				{formatInteger(total)} {total === 1 ? role.slice(0, -1) : role}</span></h3>
			{events.length ? null : <p class="pn-dim">None.</p>}
			<div class="ed-cards">
				{events.map((event) => <Card key={`${event.table}:${event.row}`} context={context}
					event={event} />)}
			</div>
		</section>
	);
}

function Card({ context, event }: { context: ProfileContext; event: EventSummary }) {
	const gap = Number(event.gap_ns);
	const copy = () => void copyAndNotify(context, JSON.stringify(event, null, "\t"),
		"Dependency copied as JSON.");
	return (
		<article class="ed-card">
			<span class="ed-card-name">{event.name || event.table}</span>
			<span class="ed-card-actions">
				<Button kind="quiet" title="Copy as JSON" aria-label="Copy as JSON"
					onClick={copy}><CopyIcon /></Button>
				<Button aria-label={`Go to ${event.name}`}
					onClick={() => context.reveal({ table: event.table, row: event.row })}>Go to</Button>
			</span>
			<span class="pn-dim">
				{[event.engine, event.pc ? `PC ${event.pc}` : "",
					event.kind ? KINDS[event.kind] ?? event.kind.toLowerCase() : "",
					event.gap_ns && Number.isFinite(gap)
						? gap < 0 ? `overlaps by ${formatNs(-gap)}` : `gap ${formatNs(gap)}` : "",
				].filter(Boolean).join(" · ")}
			</span>
		</article>
	);
}
