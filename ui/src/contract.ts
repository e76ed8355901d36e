// SPDX-License-Identifier: Apache-2.0
// What the parts of a profile's page know of each other: a timeline, a dock and its panels meet
// only in a ProfileContext. Times are nanoseconds since the profile's first moment (originNs), as
// numbers: exact up to 104 days. Absolute times are bigint and never pass through a number.

import type { ComponentType } from "preact";
import type { Api, ProfileApi } from "./api/client.ts";
import type { ProfileDetails, Track } from "./api/types.ts";
import type { Store } from "./store.ts";

/** The visible time range, in nanoseconds since the origin. */
export interface View {
	fromNs: number;
	toNs: number;
}

/** One row of a table, which is what an event is. Rows are decimal texts: they have 64 bits. */
export interface EventRef {
	table: string;
	row: string;
}

/** A time range, and the tracks if it is limited to some. */
export interface Box {
	fromNs: number;
	toNs: number;
	tracks: number[] | null;
}

export type ColourBy = "name" | "engine" | "layer" | "operator" | "track";

export interface SearchQuery {
	table: string; // "" for all that have tracks
	where: string[]; // "opcode=MATMUL", "name~^conv"; see docs/api.md
	text: string;
}

export interface Marker {
	id: string;
	name: string;
	timeNs: number;
	colour: string;
	diffTo: string | null; // the marker it is measured from; null: the one before
}

/** What a link reproduces, besides the profile: kept in the URL by src/state/url.ts. */
export interface Settings {
	colourBy: ColourBy;
	rows: "minimal" | "full";
	/** Of a system timeline: default | cpu_device | core | thread | process | instance. */
	grouping: string;
	pinned: string[]; // keys of rows (src/timeline/rows.ts)
	hidden: string[];
	collapsed: string[];
	order: string[]; // keys of rows that were moved, as they follow each other
	showBands: boolean;
	showDependencies: boolean;
	showText: boolean; // names inside bars
	showCumulative: boolean; // rows of means from the beginning on, beside rates
	snap: boolean; // markers go to the nearest edge of an event
	dmaBy: "queue" | "engine"; // how DMA packets become rows
	coreOrder: "last" | "first"; // which core is on top
	layerDepth: number; // of colours by layer: the first parts of its name, 0 for all
	semaphores: number[]; // ids that are shown; empty: all
}

export interface ProfileContext {
	name: string;
	details: ProfileDetails;
	originNs: bigint; // absolute time of 0
	endNs: number;
	home: View; // where a visit begins: what happened (src/state/home.ts)
	tracks: Track[];
	api: ProfileApi; // of this profile
	server: Api;
	view: Store<View>;
	selected: Store<EventRef | null>;
	hovered: Store<EventRef | null>;
	box: Store<Box | null>;
	search: Store<SearchQuery | null>;
	/** Events drawn in their own colour by other parts: a hierarchy's node, a line of source. */
	highlight: Store<SearchQuery | null>;
	markers: Store<Marker[]>;
	/** Name of the set of annotations that is open, "" for none; links carry it. */
	annotationSet: Store<string>;
	settings: Store<Settings>;
	/**
	 * To be called before the view jumps there, which Back then takes back. Wheels, keys and drags
	 * that move along do without: they change the step that one is at. The two below call it.
	 */
	beforeJump(to: View): void;
	/** Moves there, keeping a margin on both sides. */
	zoomTo(fromNs: number, toNs: number): void;
	/** Selects the event, brings it into view and opens its details. */
	reveal(event: EventRef): void;
	openPanel(id: string): void;
	openProfile(name: string): void;
	notify(sentence: string, kind?: "info" | "error"): void;
}

/** A row in the list of panels (src/panels/panels.ts). */
export interface PanelKind {
	id: string; // in layouts and URLs
	title: string;
	kinds: ("device" | "system")[];
	component: ComponentType<{ context: ProfileContext }>;
}
