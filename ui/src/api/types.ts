// SPDX-License-Identifier: Apache-2.0
// Written by make_types.mjs from the server's description; change serve/api_types.c instead.

export type ProfileState =
	| "ready"
	| "processing"
	| "failed"
	| "unfinished"
	| "damaged"
	| "archived"
	| "uploading";

export interface Source {
	name: string;
	size_bytes: string;
}

export interface Job {
	name: string;
	addresses: string[];
	failure: string;
}

export interface LocalService {
	pid: number;
	command: string;
	address: string;
	needs_token: boolean;
}

export interface Jobs {
	jobs: Job[];
	failure: string;
	local: LocalService[];
}

export interface TaskHost {
	address: string;
	stage: string;
	failure: string;
}

export interface Task {
	id: number;
	kind: "capture" | "fetch";
	state: "waiting" | "recording" | "processing" | "ready" | "failed" | "cancelled";
	job: string;
	profile: string;
	stage: string;
	fraction: number;
	message: string;
	duration_ms: number;
	hosts: TaskHost[];
}

export interface Tasks {
	tasks: Task[];
}

export interface TaskId {
	id: number;
}

export interface Run {
	id: string;
	name: string;
}

export interface Session {
	name: string;
	kind: "programmatic" | "on_demand" | "snapshot";
	reason: string;
	start_ns: string;
	end_ns: string;
	host_count: number;
	failed_count: number;
}

export interface Profile {
	name: string;
	kind: "device" | "system";
	state: ProfileState;
	reason: string;
	created_ms: number;
	opened_ms: number;
	size_bytes: string;
	row_count: string;
	favourite: boolean;
	folder: string;
	parent: string | null;
	simulated: boolean;
	sources: Source[];
	run: Run | null;
	sessions: Session[];
	stage: string | null;
	fraction: number | null;
}

export interface Profiles {
	profiles: Profile[];
}

export interface TableSize {
	name: string;
	row_count: string;
}

export interface DeviceLink {
	name: string;
	profile: string | null;
}

export interface ProfileDetails extends Profile {
	id: string;
	schema_version: string;
	from_ns: string;
	to_ns: string;
	tables: TableSize[];
	devices: DeviceLink[];
}

export interface Rank {
	rank: number | null;
	core: number;
	instance: string;
	process: number | null;
	profile: string;
	offset_ns: number;
	total_ns: number;
}

export interface Ranks {
	ranks: Rank[];
	aligned_by: string;
	span_ns: number;
	collective_skew_ns: number | null;
}

export interface Track {
	id: number;
	parent: number | null;
	kind: "group" | "spans" | "counter";
	name: string;
	unit: string;
	table: string | null;
	depth_count: number;
	row_count: string;
	lost_count: string;
	first_ns?: string;
	last_ns?: string;
	last_start_ns?: string;
	attributes: Record<string, string>;
}

export interface Tracks {
	from_ns: string;
	to_ns: string;
	name_count: number;
	tracks: Track[];
}

export interface Names {
	names: string[];
	total: string;
}

export interface Colours {
	values: string[];
}

export type Cell = string | number | boolean | null | Cell[];

export interface Column {
	name: string;
	type: string;
	unit?: string;
	description?: string;
}

export interface TablePage {
	table: string;
	total: string;
	columns: Column[];
	rows: Cell[][];
}

export interface Field {
	name: string;
	value: Cell;
	unit: string;
	description: string;
	group: string;
}

export interface EventDetails {
	table: string;
	row: string;
	track: number | null;
	depth: number;
	start_ns: string;
	end_ns: string;
	fields: Field[];
}

export interface EventSummary {
	table: string;
	row: string;
	track: number | null;
	depth: number;
	start_ns: string;
	end_ns: string;
	name: string;
	engine: string;
	pc: number | string | null;
	kind?: string;
	gap_ns?: number | string | null;
}

export interface Dependencies {
	predecessors: EventSummary[];
	total_predecessors: number;
	successors: EventSummary[];
	total_successors: number;
}

export interface SearchPage {
	total: string;
	duration_ns: string;
	rows: EventSummary[];
}

export interface CounterStatistics {
	track: number;
	count: string;
	lowest: number | null;
	highest: number | null;
	mean: number | null;
	last: number | null;
}

export interface NameStatistics {
	name: string;
	count: string;
	sum_ns: string;
	busy_ns: string;
}

export interface TrackStatistics {
	track: number;
	count: string;
	busy_ns: string;
	sum_ns: string;
	busy_fraction: number;
	name_count: number;
	names: NameStatistics[];
}

export interface Statistics {
	from_ns: string;
	to_ns: string;
	tracks: (TrackStatistics | CounterStatistics)[];
}

export interface SqlAnswer {
	columns: Column[];
	rows: Cell[][];
	is_cut: boolean;
	elapsed_ms: number;
}

export interface NamedParameter {
	name: string;
	type: "time" | "integer" | "text" | "word";
	description: string;
	default: string;
	words: string[];
}

export interface NamedQuery {
	name: string;
	description: string;
	parameters: NamedParameter[];
}

export interface NamedQueries {
	queries: NamedQuery[];
}

export interface Band {
	kind: "throttling" | "small_dma" | "reload" | "barrier" | "collective";
	title: string;
	detail: string;
	from_ns: string;
	to_ns: string;
	tracks: number[];
}

export interface Finding {
	kind: string;
	severity: number;
	title: string;
	measured: string;
	cause: string;
	advice: string;
	value: number;
	unit: string;
	place: string;
	from_ns: string;
	to_ns: string;
	gain_frac: number | null;
	path_frac: number | null;
	confidence: string;
}

export interface Insights {
	bands: Band[];
	findings: Finding[];
}

export interface WhyPart {
	cause: string;
	engine: string | null;
	time_ps: number;
}

export interface WhyEngine {
	core: number;
	engine: string | null;
	cause: string;
	blocker: string | null;
	time_ps: number;
}

export interface WhyReplay {
	error_ps: number;
	pinned: number;
	nominal_ps: number;
}

export interface WhatIf {
	scenario: string;
	total_ps: number;
	gain_ps: number;
	path_ps: number | null;
}

export interface WhyGroup {
	name: string | null;
	time_ps: number;
}

export interface Why {
	span_ps: number;
	program_ps: number;
	path_unexplained_ps: number;
	gap_ps: number;
	gap_unexplained_ps: number;
	waits: number;
	waits_matched: number;
	waits_filled: number;
	waits_assumed: number;
	path: WhyPart[];
	engines: WhyEngine[];
	replay: WhyReplay | null;
	what_if: WhatIf[];
	by?: string;
	groups?: WhyGroup[];
}

export interface WhyStep {
	start_ps: number;
	duration_ps: number;
	cause: string;
	release: number;
	hops: number;
	engine: string | null;
	opcode: string | null;
	queue: string | null;
}

export interface WhyGap {
	core: number;
	engine: string;
	start_ps: number;
	duration_ps: number;
	before: number;
	sentence: string;
	steps: WhyStep[];
}

export interface At {
	track: number;
	depth?: number;
	index?: string;
	row?: string;
	start_ns?: string;
	end_ns?: string;
	name?: string;
	edge_ns?: string;
	time_ns?: string;
	value?: number;
}
