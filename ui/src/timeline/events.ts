// SPDX-License-Identifier: Apache-2.0
// The selected and the hovered event: their places and dependencies. Details are cached.

import type { EventDetails, EventSummary } from "../api/types.ts";
import type { EventRef, ProfileContext } from "../contract.ts";
import type { Link, PlacedEvent } from "./scene.ts";
import { relativeNs } from "./view.ts";

const KEPT_DETAILS = 300;
const MOST_LINKS = 64; // in each direction

export const sameEvent = (a: EventRef | null, b: EventRef | null) =>
	a === b || (!!a && !!b && a.table === b.table && a.row === b.row);

export class Events {
	private readonly kept = new Map<string, Promise<EventDetails>>();
	selected: PlacedEvent | null = null;
	selectedDetails: EventDetails | null = null;
	hovered: PlacedEvent | null = null;
	links: Link[] = [];
	private turn = 0;

	constructor(private readonly context: ProfileContext, private readonly onChange: () => void) {}

	detailsOf(event: EventRef): Promise<EventDetails> {
		const key = `${event.table}/${event.row}`;
		const known = this.kept.get(key);
		if (known) return known;
		const asked = this.context.api.event(event);
		asked.catch(() => this.kept.delete(key)); // do not cache failures
		this.kept.set(key, asked);
		if (this.kept.size > KEPT_DETAILS) this.kept.delete(this.kept.keys().next().value!);
		return asked;
	}

	placeOf(
		details: Pick<EventDetails, "track" | "depth" | "start_ns" | "end_ns">,
	): PlacedEvent | null {
		if (details.track === null) return null;
		const { originNs } = this.context;
		return {
			track: details.track, depth: details.depth,
			fromNs: relativeNs(originNs, details.start_ns), toNs: relativeNs(originNs, details.end_ns),
		};
	}

	/** Resolves to the event's place, or to null if another event was selected meanwhile. */
	async select(event: EventRef | null): Promise<PlacedEvent | null> {
		const turn = ++this.turn;
		this.links = [];
		if (!event) {
			this.selected = this.selectedDetails = null;
			this.onChange();
			return null;
		}
		let details: EventDetails;
		try {
			details = await this.detailsOf(event);
		} catch (failure) {
			if (turn === this.turn) this.context.notify((failure as Error).message, "error");
			return null;
		}
		if (turn !== this.turn) return null;
		this.selectedDetails = details;
		this.selected = this.placeOf(details);
		this.onChange();
		if (this.context.settings.get().showDependencies) void this.loadLinks(event, turn);
		return this.selected;
	}

	async loadLinks(event: EventRef, turn = this.turn): Promise<void> {
		try {
			const answer = await this.context.api.dependencies(event);
			if (turn !== this.turn) return;
			this.links = [
				...this.linksOf(answer.predecessors, true), ...this.linksOf(answer.successors, false),
			];
			this.onChange();
		} catch {
			// The details panel shows the failure.
		}
	}

	dropLinks(): void {
		this.links = [];
		this.onChange();
	}

	private linksOf(summaries: EventSummary[], isPredecessor: boolean): Link[] {
		return summaries.slice(0, MOST_LINKS).flatMap((summary) => {
			const event = this.placeOf(summary);
			return event ? [{ event, isPredecessor, summary }] : [];
		});
	}

	/** For events hovered in other panels; interact.ts places those under the pointer. */
	async hover(event: EventRef | null): Promise<void> {
		if (!event) {
			this.hovered = null;
			return this.onChange();
		}
		try {
			const place = this.placeOf(await this.detailsOf(event));
			if (!sameEvent(this.context.hovered.get(), event)) return;
			this.hovered = place;
			this.onChange();
		} catch {
			// no outline then
		}
	}
}

/** The first of these fields that has a value, as text; "" if none has. */
export function fieldOf(details: EventDetails | null, ...names: string[]): string {
	for (const name of names) {
		const value = details?.fields.find((field) => field.name === name)?.value;
		if (value !== undefined && value !== null && value !== "") return String(value);
	}
	return "";
}

export const nameOfEvent = (details: EventDetails | null) =>
	fieldOf(details, "name", "opcode", "operation", "variable", "type", "description") ||
	details?.table || "";

export const SOURCE_PANEL = "source-code";

/** In order of preference. */
const COLUMNS = ["nki_source_location", "bir_debug_info_source_location"];

export function sourceOf(details: EventDetails): { column: string; location: string } | null {
	for (const column of COLUMNS) {
		const location = fieldOf(details, column);
		if (/:\d+$/.test(location)) return { column, location };
	}
	return null;
}
