// SPDX-License-Identifier: Apache-2.0
// The data of a timeline: tiles, search hits, names, bands, the map, and the scales of counters. It
// is requested when needed; `onNews` is called when it arrives.

import type { Track } from "../api/types.ts";
import { numberOf } from "../api/client.ts";
import type { ProfileContext, SearchQuery, View } from "../contract.ts";
import { formatFraction } from "../format.ts";
import { createStore } from "../store.ts";
import { TileCache, type Batch } from "./cache.ts";
import { Cumulative } from "./cumulative.ts";
import { tracksInSight } from "./in_sight.ts";
import { Labels } from "./labels.ts";
import type { Layout } from "./layout.ts";
import { stripsByTrack, TileLoader } from "./loader.ts";
import { gapsOf } from "../state/sessions.ts";
import type { PlacedBand } from "./scene.ts";
import { rangeFor, type CounterStrip, type SpanStrip, type Strip } from "./tile.ts";
import { topOf, valueText } from "./values.ts";
import { absoluteNs, fitView, relativeNs } from "./view.ts";

const CACHE_BYTES = 128 << 20;
const MARKS_BYTES = 16 << 20;
const MARKS_ID = -1; // hits are requested without tracks
const OVERVIEW_ROWS = 64;
const HBM_TABLE = "SystemProfileHbmUsage";

type News = "rows" | "map";

interface MarksLayer {
	cache: TileCache;
	loader: TileLoader;
}

function gapBands({ details, originNs }: ProfileContext): PlacedBand[] {
	return gapsOf(details.sessions, originNs).map(({ fromNs, toNs, text, next }) => ({
		fromNs, toNs, band: {
			kind: "unrecorded", title: "Not recorded", tracks: [],
			detail: `${text[0]!.toUpperCase()}${text.slice(1)}, until session ${next}.`,
			from_ns: String(absoluteNs(originNs, fromNs)),
			to_ns: String(absoluteNs(originNs, toNs)),
		},
	}));
}

const EVERYWHERE = 0.9; // of the profile

export class Feed {
	readonly cache = new TileCache(CACHE_BYTES);
	readonly labels: Labels;
	readonly hits: MarksLayer;
	readonly highlights: MarksLayer;
	readonly failure = createStore<string | null>(null);
	readonly hasData = createStore(false);
	bands: PlacedBand[];
	readonly gaps: PlacedBand[]; // between the sessions of a run, also among the bands
	overview: Batch | null = null;
	private readonly loader: TileLoader;
	private readonly most = new Map<number, number>();
	private readonly mostCumulative = new Map<number, number>();
	private readonly cumulative: Cumulative;
	private readonly tracks: Map<number, Track>;
	private peak = 0; // FLOP/s of one core
	private hbmBytes = 0; // capacity of one HBM

	constructor(private readonly context: ProfileContext,
		private readonly onNews: (...what: News[]) => void) {
		const { api, originNs } = context;
		this.tracks = new Map(context.tracks.map((track) => [track.id, track]));
		this.gaps = gapBands(context);
		this.bands = this.gaps;
		this.labels = new Labels(api, context.tracks, () => onNews("rows"));
		const { colourBy, layerDepth } = context.settings.get();
		this.labels.setColouring(colourBy, layerDepth);
		this.cumulative = new Cumulative((untilNs, tracks) => this.meansBefore(untilNs, tracks),
			() => onNews("rows"));
		this.hits = this.marksLayer(() => context.search.get());
		this.highlights = this.marksLayer(() => context.highlight.get());
		this.loader = new TileLoader(this.cache,
			(range, tracks, column, signal) => api.window(absoluteNs(originNs, range.fromNs),
				absoluteNs(originNs, range.toNs), range.px, tracks, column || undefined, signal),
			(strips) => this.take(strips), (sentence) => this.failure.set(sentence));
	}

	private marksLayer(queryOf: () => SearchQuery | null): MarksLayer {
		const cache = new TileCache(MARKS_BYTES);
		const { api, originNs, notify } = this.context;
		const loader = new TileLoader(cache,
			(range, _tracks, _column, signal) => api.marks(queryOf()!, absoluteNs(originNs, range.fromNs),
				absoluteNs(originNs, range.toNs), range.px, signal),
			(strips) => this.takeMarks(strips), (sentence) => sentence && notify(sentence, "error"));
		return { cache, loader };
	}

	begin(layout: Layout): void {
		void this.loadBands();
		void this.loadOverview(layout);
		void this.loadPeak();
		void this.loadCapacity();
	}

	stop(): void {
		for (const loader of [this.loader, this.hits.loader, this.highlights.loader]) loader.stop();
		this.cumulative.stop();
	}

	/** Call when the query of a layer has changed. */
	restart(layer: MarksLayer): void {
		layer.loader.stop();
		layer.cache.clear();
		this.onNews("rows");
	}

	/** Requests what the screen needs and the cache does not have. */
	request(view: View, widthPx: number, column: string, layout: Layout, scroll: number,
		height: number): void {
		const { beginNs, endNs } = this.context;
		const common = { view, widthPx, beginNs, endNs };
		this.loader.want({ ...common, column, ...tracksInSight(layout, scroll, height) });
		const marks = { ...common, column: "", ids: [MARKS_ID], tracks: [""] };
		if (this.context.search.get()) this.hits.loader.want(marks);
		if (this.context.highlight.get()) this.highlights.loader.want(marks);
	}

	/** A filter draws its hits with names and colours, as all events are otherwise. */
	private takeMarks(strips: Map<number, Strip[]>): void {
		this.labels.learn([...strips.values()].flat().filter((strip) => strip.kind === "spans"));
		this.onNews("rows");
	}

	private take(strips: Map<number, Strip[]>): void {
		const spans: SpanStrip[] = [];
		for (const list of strips.values()) {
			for (const strip of list) {
				if (strip.kind === "spans") spans.push(strip);
				else learnMost(this.most, strip.track, strip.highest);
			}
		}
		this.labels.learn(spans);
		this.hasData.set(true);
		this.onNews("rows");
	}

	/** The top of a row's scale: the largest value so far, so that the scale does not jump. */
	counterTop(track: number, isCumulative: boolean): number {
		const most = isCumulative ? this.mostCumulative : this.most;
		return topOf(most.get(track) ?? 0, this.tracks.get(track)!);
	}

	cumulativeOf(strip: CounterStrip, batch: Batch): Float32Array | null {
		const isNew = !this.cumulative.has(strip);
		const values = this.cumulative.valuesOf(strip, batch);
		if (values && isNew) learnMost(this.mostCumulative, strip.track, values);
		return values;
	}

	private async meansBefore(untilNs: number, tracks: number[]): Promise<Map<number, number>> {
		const { api, originNs, beginNs } = this.context;
		if (untilNs <= beginNs) return new Map();
		const octets = await api.window(absoluteNs(originNs, beginNs), absoluteNs(originNs, untilNs), 1,
			tracks.map(String));
		const means = new Map<number, number>();
		for (const [track, [strip]] of stripsByTrack(octets, []))
			if (strip?.kind === "counter") means.set(track, strip.mean[0] ?? NaN);
		return means;
	}

	counterText(track: number, value: number): string {
		const text = valueText(value, this.tracks.get(track)!, this.peak);
		const isHbm = this.hbmBytes > 0 && this.tracks.get(track)!.table === HBM_TABLE;
		return isHbm ? `${text} (${formatFraction(value / this.hbmBytes)})` : text;
	}

	trackOf(id: number): Track | undefined {
		return this.tracks.get(id);
	}

	private async loadBands(): Promise<void> {
		try {
			const { bands } = await this.context.api.insights();
			const { originNs } = this.context;
			this.bands = [...this.gaps, ...bands.map((band) => ({
				band, fromNs: relativeNs(originNs, band.from_ns), toNs: relativeNs(originNs, band.to_ns),
			})).filter((band) => !this.isEverywhere(band))];
			this.onNews("rows", "map");
		} catch {
			// The summary shows the failure.
		}
	}

	/** A limit that holds all the time marks no place; its own row shows it. */
	private isEverywhere({ band, fromNs, toNs }: PlacedBand): boolean {
		const { beginNs, endNs } = this.context;
		return band.kind === "throttling" && toNs - fromNs > EVERYWHERE * (endNs - beginNs);
	}

	private async loadOverview(layout: Layout): Promise<void> {
		const { api, originNs, beginNs, endNs } = this.context;
		const ids = layout.rows.filter(({ row }) => row.kind === "spans")
			.flatMap(({ row }) => row.lanes.filter((lane) => !lane.line && !lane.depth))
			.map((lane) => lane.track).slice(0, OVERVIEW_ROWS);
		if (!ids.length) return;
		const range = rangeFor(fitView(endNs), 800, endNs, 0, beginNs);
		try {
			const octets = await api.window(absoluteNs(originNs, range.fromNs),
				absoluteNs(originNs, range.toNs), range.px, ids.map((id) => `${id}:0`));
			const strips = stripsByTrack(octets, []);
			this.overview = { ...range, colour: "", strips, bytes: octets.byteLength, used: 0 };
			this.onNews("map");
		} catch {
			// The map stays empty; the timeline's own requests show the failure.
		}
	}

	/** Loads the HBM capacity, to show usage as a share of it. */
	private async loadCapacity(): Promise<void> {
		if (![...this.tracks.values()].some((track) => track.table === HBM_TABLE)) return;
		try {
			const [row] = (await this.context.api.table("SystemProfileMetadata",
				{ columns: ["hbm_capacity_bytes"], limit: 1 })).rows;
			this.hbmBytes = numberOf(row?.[0]) || 0;
			this.onNews("rows");
		} catch {
			// Usage is shown without its share.
		}
	}

	/** Loads the peak of a tensor engine: two operations per cell and cycle. */
	private async loadPeak(): Promise<void> {
		if (![...this.tracks.values()].some((track) => track.unit === "FLOP/s")) return;
		try {
			const columns = ["tensor_engine_num_rows", "tensor_engine_num_cols",
				"tensor_engine_clock_freq"];
			const [row] = (await this.context.api.table("Metadata", { columns, limit: 1 })).rows;
			const [rows, cols, gigahertz] = columns.map((_, i) => numberOf(row?.[i]));
			const peak = 2 * rows! * cols! * gigahertz! * 1e9;
			this.peak = Number.isFinite(peak) ? peak : 0;
			this.onNews("rows");
		} catch {
			// Rates are shown without their share of the peak.
		}
	}
}

function learnMost(into: Map<number, number>, track: number, values: Float32Array): void {
	let most = into.get(track) ?? 0;
	for (let i = 0; i < values.length; i++) if (values[i]! > most) most = values[i]!;
	into.set(track, most);
}
