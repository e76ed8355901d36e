// SPDX-License-Identifier: Apache-2.0
// The interface between the parts of a profile's page: timeline, dock and panels share only a
// ProfileContext. Times are numbers of nanoseconds since the start of the profile (originNs), exact
// up to 104 days. Absolute times are bigint and are never converted to number.

import type { ComponentType } from "preact";
import type { Api, ProfileApi } from "./api/client.ts";
import type { ProfileDetails, Track } from "./api/types.ts";
import type { Store } from "./store.ts";

/** The visible time range, in nanoseconds since the origin. */
export interface View {
	fromNs: number;
	toNs: number;
}

/** An event is a row of a table. Row numbers have 64 bits, so they are decimal strings. */
export interface EventRef {
	table: string;
	row: string;
}

/** A time range on some tracks; null: on all. */
export interface Box {
	fromNs: number;
	toNs: number;
	tracks: number[] | null;
}

export type ColourBy =
	"name" | "type" | "engine" | "layer" | "operator" | "core" | "track" | "none";

export interface SearchQuery {
	table: string; // "": all tables that have tracks
	where: string[]; // "opcode=MATMUL", "name~^conv"; see docs/api.md
	text: string;
	isFilter?: boolean; // the timeline shows no other events
}

export interface Marker {
	id: string;
	name: string;
	timeNs: number;
	colour: string;
	diffTo: string | null; // the marker it is measured from; null: the previous one
}

/** Settings of the timeline; src/state/url.ts keeps them in the URL. */
export interface Settings {
	colourBy: ColourBy;
	rows: "minimal" | "full";
	grouping: string; // system profiles only: an id of GROUPINGS (src/state/choices.ts)
	pinned: string[]; // row keys (src/timeline/rows.ts)
	hidden: string[];
	collapsed: string[];
	order: string[]; // keys of moved rows, in their new order
	showBands: boolean;
	showDependencies: boolean;
	showText: boolean; // names inside bars
	showCumulative: boolean; // next to rates, rows with their mean since the start
	snap: boolean; // markers snap to event edges
	dmaBy: "queue" | "engine"; // one row of DMA packets per queue or per engine
	coreOrder: "last" | "first"; // which core is at the top
	layerDepth: number; // colour by this many parts of a layer's name; 0: all
	semaphores: number[]; // shown ids; empty: all
}

export interface ProfileContext {
	name: string;
	details: ProfileDetails;
	originNs: bigint; // the absolute time of 0
	beginNs: number; // where the profile begins: 0, except for ranks on a common clock
	endNs: number;
	home: View; // the initial view (src/state/home.ts)
	tracks: Track[];
	api: ProfileApi;
	server: Api;
	view: Store<View>;
	selected: Store<EventRef | null>;
	hovered: Store<EventRef | null>;
	box: Store<Box | null>;
	search: Store<SearchQuery | null>;
	/** Events highlighted by another panel: a node of the hierarchy or a source line. */
	highlight: Store<SearchQuery | null>;
	markers: Store<Marker[]>;
	annotationSet: Store<string>; // the name of the open set, "" for none
	settings: Store<Settings>;
	/**
	 * Call before the view jumps, so that Back undoes the jump; zoomTo and reveal do it themselves.
	 * Panning and zooming with wheel, keys or drags are not jumps.
	 */
	beforeJump(to: View): void;
	/** Jumps to a time range, with a margin on both sides. */
	zoomTo(fromNs: number, toNs: number): void;
	/** Selects the event, brings it into view and opens its details. */
	reveal(event: EventRef): void;
	openPanel(id: string): void;
	openProfile(name: string): void;
	notify(sentence: string, kind?: "info" | "error"): void;
	/** The URL of this page as it is now. */
	link(): string;
}

/** A row in the list of panels (src/panels/panels.ts). */
export interface PanelKind {
	id: string; // used in layouts and URLs
	title: string;
	kinds: ("device" | "system")[];
	component: ComponentType<{ context: ProfileContext }>;
}
