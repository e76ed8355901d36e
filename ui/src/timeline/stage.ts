// SPDX-License-Identifier: Apache-2.0
// What happens between the stores of a profile's page and the canvases: it knows what changed, asks
// for what is missing, and draws the layers that need it, once per frame.

import type { Track } from "../api/types.ts";
import type { ProfileContext, SearchQuery, View } from "../contract.ts";
import { createStore, type Store } from "../store.ts";
import { TileCache, type Batch } from "./cache.ts";
import { columnOf, hueOfText, paintsOf, type Paint } from "./colours.ts";
import { activityOf, AXIS_HEIGHT, drawAxis, drawMap, MAP_HEIGHT } from "./draw_axis.ts";
import { drawBase } from "./draw.ts";
import { drawOverlay } from "./draw_overlay.ts";
import { Events, sameEvent } from "./events.ts";
import { Labels } from "./labels.ts";
import { layoutRows, scrollToShow, visibleRows, type Layout } from "./layout.ts";
import { stripsByTrack, TileLoader } from "./loader.ts";
import { buildRows, MAX_LANES } from "./rows.ts";
import type { OverlayScene, PlacedBand, Scene, ThemeColours } from "./scene.ts";
import { levelOf, rangeFor, type SpanStrip, type Strip } from "./tile.ts";
import { readTheme, watchTheme } from "./theme.ts";
import { topOf, valueText } from "./values.ts";
import { absoluteNs, fitView, relativeNs } from "./view.ts";

export interface Surfaces {
	root: HTMLElement;
	scroller: HTMLElement;
	base: HTMLCanvasElement;
	overlay: HTMLCanvasElement;
	axis: HTMLCanvasElement;
	map: HTMLCanvasElement;
}

export type Layer = "base" | "overlay" | "axis" | "map";

const CACHE_BYTES = 128 << 20;
const MARKS_BYTES = 16 << 20;
const MARKS_ID = -1; // hits are asked for without tracks
const OVERVIEW_ROWS = 64;
const ROWS_AHEAD_PX = 240; // above and below what is seen

export class Stage {
	readonly layout: Store<Layout>;
	readonly failure = createStore<string | null>(null);
	readonly hasData = createStore(false);
	readonly events: Events;
	readonly labels: Labels;
	readonly cache = new TileCache(CACHE_BYTES);
	bands: PlacedBand[] = [];
	drag: OverlayScene["drag"] = null;
	cursorX: number | null = null;
	focusedRow = "";
	width = 0;
	height = 0;
	scroll = 0;
	frames = 0; // drawn so far, for measurements
	private dpr = 1;
	private surfaces: Surfaces | null = null;
	private dirty = new Set<Layer>();
	private frame = 0;
	private colours!: ThemeColours;
	private paints: Paint[] = paintsOf("dark");
	private overview: Batch | null = null;
	private activity: Float32Array = new Float32Array(0);
	private readonly loader: TileLoader;
	private readonly hits = this.marksLayer(() => this.context.search.get());
	private readonly highlights = this.marksLayer(() => this.context.highlight.get());
	private readonly most = new Map<number, number>();
	private readonly tracks: Map<number, Track>;
	private readonly pieces: Scene["pieces"] = [];
	private endings: (() => void)[] = [];

	constructor(readonly context: ProfileContext) {
		const { api, originNs } = context;
		this.tracks = new Map(context.tracks.map((track) => [track.id, track]));
		this.layout = createStore(this.makeLayout());
		this.labels = new Labels(api, context.tracks, () => this.invalidate("base"));
		this.labels.setColourBy(context.settings.get().colourBy);
		this.events = new Events(context, () => this.invalidate("overlay"));
		this.loader = new TileLoader(this.cache,
			(range, tracks, column, signal) => api.window(absoluteNs(originNs, range.fromNs),
				absoluteNs(originNs, range.toNs), range.px, tracks, column || undefined, signal),
			(strips) => this.take(strips),
			(sentence) => this.failure.set(sentence));
	}

	private makeLayout(): Layout {
		const { details, tracks, settings } = this.context;
		return layoutRows(buildRows(details.kind, tracks, settings.get()));
	}

	private marksLayer(queryOf: () => SearchQuery | null) {
		const cache = new TileCache(MARKS_BYTES);
		const loader = new TileLoader(cache, (range, _tracks, _column, signal) => {
			const { api, originNs } = this.context;
			return api.marks(queryOf()!, absoluteNs(originNs, range.fromNs),
				absoluteNs(originNs, range.toNs), range.px, signal);
		}, () => this.invalidate("base"), (sentence) => sentence && this.context.notify(sentence, "error"));
		return { cache, loader };
	}

	// --- life ----------------------------------------------------------------------------------

	attach(surfaces: Surfaces): void {
		const { context } = this;
		this.surfaces = surfaces;
		this.readTheme();
		const watch = <T>(store: Store<T>, listener: (now: T, before: T) => void) =>
			this.endings.push(store.watch(listener));
		watch(context.view, () => this.invalidate("base", "overlay", "axis", "map"));
		watch(context.settings, (now, before) => {
			this.labels.setColourBy(now.colourBy);
			this.layout.set(this.makeLayout());
			if (now.showBands !== before.showBands) this.invalidate("map");
			if (now.showDependencies !== before.showDependencies) this.changeLinks();
			this.invalidate("base", "overlay");
		});
		watch(context.selected, (event) => void this.events.select(event).then(() => this.showSelected()));
		watch(context.hovered, (event) => {
			if (!sameEvent(event, this.ownHover)) void this.events.hover(event);
		});
		watch(context.markers, () => this.invalidate("overlay", "axis", "map"));
		watch(context.box, () => this.invalidate("overlay"));
		watch(context.search, () => this.restart(this.hits));
		watch(context.highlight, () => this.restart(this.highlights));
		this.endings.push(watchTheme(() => {
			this.readTheme();
			this.invalidate("base", "overlay", "axis", "map");
		}));
		const sizes = new ResizeObserver(() => this.measure());
		sizes.observe(surfaces.scroller);
		this.endings.push(() => sizes.disconnect());
		const onScroll = () => {
			this.scroll = surfaces.scroller.scrollTop;
			this.invalidate("base", "overlay");
		};
		surfaces.scroller.addEventListener("scroll", onScroll, { passive: true });
		this.endings.push(() => surfaces.scroller.removeEventListener("scroll", onScroll));
		this.measure();
		void this.loadBands();
		void this.loadOverview();
		if (context.selected.get()) void this.events.select(context.selected.get());
	}

	detach(): void {
		for (const end of this.endings) end();
		this.endings = [];
		for (const loader of [this.loader, this.hits.loader, this.highlights.loader]) loader.stop();
		cancelAnimationFrame(this.frame);
		this.frame = 0;
		this.surfaces = null;
	}

	/** What the pointer is on; its outline is drawn by what is known here already. */
	ownHover: ReturnType<ProfileContext["hovered"]["get"]> = null;

	private readTheme(): void {
		this.colours = readTheme(this.surfaces!.root);
		this.paints = paintsOf(this.colours.theme);
	}

	/** For changes of width that no observer sees. */
	resize(): void {
		this.measure();
	}

	private measure(): void {
		const { surfaces } = this;
		if (!surfaces) return;
		const box = surfaces.base.parentElement!.getBoundingClientRect();
		this.width = Math.max(Math.floor(box.width), 1);
		this.height = Math.max(Math.floor(surfaces.scroller.clientHeight), 1);
		this.dpr = Math.min(Math.max(devicePixelRatio || 1, 1), 3);
		const size = (canvas: HTMLCanvasElement, height: number) => {
			canvas.width = Math.round(this.width * this.dpr);
			canvas.height = Math.round(height * this.dpr);
			canvas.style.width = `${this.width}px`;
			canvas.style.height = `${height}px`;
		};
		size(surfaces.base, this.height);
		size(surfaces.overlay, this.height);
		size(surfaces.axis, AXIS_HEIGHT);
		size(surfaces.map, MAP_HEIGHT);
		this.activity = new Float32Array(0);
		this.drawNow(["base", "overlay", "axis", "map"]); // a resized canvas is empty: no frame without
	}

	// --- data ----------------------------------------------------------------------------------

	private take(strips: Map<number, Strip[]>): void {
		const spans: SpanStrip[] = [];
		for (const list of strips.values()) {
			for (const strip of list) {
				if (strip.kind === "spans") spans.push(strip);
				else this.learnMost(strip.track, strip.highest);
			}
		}
		this.labels.learn(spans);
		this.hasData.set(true);
		this.invalidate("base");
	}

	private learnMost(track: number, values: Float32Array): void {
		let most = this.most.get(track) ?? 0;
		for (let i = 0; i < values.length; i++) if (values[i]! > most) most = values[i]!;
		this.most.set(track, most);
	}

	private async loadBands(): Promise<void> {
		try {
			const { bands } = await this.context.api.insights();
			const { originNs } = this.context;
			this.bands = bands.map((band) => ({
				band, fromNs: relativeNs(originNs, band.from_ns), toNs: relativeNs(originNs, band.to_ns),
			}));
			this.invalidate("base", "map");
		} catch {
			// the panel of insights says why
		}
	}

	private async loadOverview(): Promise<void> {
		const { api, originNs, endNs } = this.context;
		const rows = this.layout.get().rows.filter(({ row }) => row.kind === "spans")
			.slice(0, OVERVIEW_ROWS);
		if (!rows.length) return;
		const range = rangeFor(fitView(endNs), 800, endNs, 0);
		const ids = rows.map(({ row }) => row.lanes[0]!.track);
		try {
			const octets = await api.window(absoluteNs(originNs, range.fromNs),
				absoluteNs(originNs, range.toNs), range.px, ids.map((id) => `${id}:0`));
			const strips = stripsByTrack(octets, []);
			this.overview = { ...range, colour: "", strips, bytes: octets.byteLength, used: 0 };
			this.activity = new Float32Array(0);
			this.invalidate("map");
		} catch {
			// the map stays empty; the timeline's own requests say why
		}
	}

	private restart(layer: { cache: TileCache; loader: TileLoader }): void {
		layer.loader.stop();
		layer.cache.clear();
		this.invalidate("base");
	}

	private changeLinks(): void {
		const event = this.context.selected.get();
		if (event && this.context.settings.get().showDependencies) void this.events.loadLinks(event);
		else this.events.dropLinks();
	}

	/** Tracks whose rows are near the screen, as requests name them. */
	private tracksInSight(): { ids: number[]; tracks: string[] } {
		const ids: number[] = [], tracks: string[] = [];
		const layout = this.layout.get();
		for (const { row } of visibleRows(layout, this.scroll - ROWS_AHEAD_PX, this.height + 2 * ROWS_AHEAD_PX)) {
			for (const track of row.tracks) {
				const shown = row.lanes.filter((lane) => lane.track === track.id);
				if (!shown.length || ids.includes(track.id)) continue;
				ids.push(track.id);
				tracks.push(track.depth_count > MAX_LANES
					? shown.map((lane) => `${track.id}:${lane.depth}`).join(",") : String(track.id));
			}
		}
		return { ids, tracks };
	}

	private request(view: View, column: string): void {
		const common = { view, widthPx: this.width * this.dpr, endNs: this.context.endNs };
		this.loader.want({ ...common, column, ...this.tracksInSight() });
		const marks = { ...common, column: "", ids: [MARKS_ID], tracks: [""] };
		if (this.context.search.get()) this.hits.loader.want(marks);
		if (this.context.highlight.get()) this.highlights.loader.want(marks);
	}

	// --- drawing -------------------------------------------------------------------------------

	invalidate(...layers: Layer[]): void {
		for (const layer of layers) this.dirty.add(layer);
		if (!this.frame && this.surfaces)
			this.frame = requestAnimationFrame(() => {
				this.frame = 0;
				this.drawNow([]);
			});
	}

	scene(): OverlayScene {
		const { context } = this;
		const view = context.view.get();
		const settings = context.settings.get();
		return {
			view, endNs: context.endNs, width: this.width, height: this.height, dpr: this.dpr,
			scroll: this.scroll, layout: this.layout.get(), colours: this.colours, paints: this.paints,
			level: levelOf(view, this.width * this.dpr), column: columnOf(settings.colourBy),
			cache: this.cache, marks: this.hits.cache, hasSearch: context.search.get() !== null,
			highlights: this.highlights.cache, hasHighlight: context.highlight.get() !== null,
			huesOf: (strip) => this.labels.huesOf(strip), nameOf: (id) => this.labels.nameOf(id),
			counterHue: (track) => hueOfText(this.tracks.get(track)?.name.replace(/\d+/g, "") ?? ""),
			counterTop: (track) => topOf(this.most.get(track) ?? 0, this.tracks.get(track)!),
			counterText: (track, value) => valueText(value, this.tracks.get(track)!),
			bands: settings.showBands ? this.bands : [], pieces: this.pieces,
			selected: this.events.selected, hovered: this.events.hovered, links: this.events.links,
			markers: context.markers.get(), box: context.box.get(), drag: this.drag,
			cursorX: this.cursorX, focusedRow: this.focusedRow,
		};
	}

	private drawNow(also: Layer[]): void {
		const { surfaces, dirty } = this;
		if (!surfaces) return;
		for (const layer of also) dirty.add(layer);
		const scene = this.scene();
		const pen = (canvas: HTMLCanvasElement) => canvas.getContext("2d")!;
		if (dirty.has("base")) {
			this.request(scene.view, scene.column);
			drawBase(pen(surfaces.base), scene);
		}
		if (dirty.has("overlay")) drawOverlay(pen(surfaces.overlay), scene);
		if (dirty.has("axis")) drawAxis(pen(surfaces.axis), scene);
		if (dirty.has("map")) this.drawMap(pen(surfaces.map), scene);
		dirty.clear();
		this.frames++;
	}

	private drawMap(ctx: CanvasRenderingContext2D, scene: OverlayScene): void {
		if (this.overview && this.activity.length !== this.width)
			this.activity = activityOf(this.overview, scene.endNs, this.width);
		drawMap(ctx, { ...scene, overview: this.overview }, this.activity);
	}

	// --- scrolling -----------------------------------------------------------------------------

	private showSelected(): void {
		const { selected } = this.events;
		const lane = selected && this.layout.get().lanes.get(`${selected.track}:${selected.depth}`);
		if (lane) this.showRow(lane.placed.row.key);
	}

	scrollBy(px: number): void {
		if (this.surfaces) this.surfaces.scroller.scrollTop += px;
	}

	showRow(key: string): void {
		const layout = this.layout.get();
		const placed = layout.rows.find(({ row }) => row.key === key);
		if (!placed || !this.surfaces) return;
		const scroll = scrollToShow(layout, placed, this.scroll, this.height);
		if (scroll !== this.scroll) this.surfaces.scroller.scrollTop = scroll;
	}
}
