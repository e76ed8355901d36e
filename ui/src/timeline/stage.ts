// SPDX-License-Identifier: Apache-2.0
// Connects the stores of a profile's page to the canvases: redraws the layers that changed, once
// per frame.

import type { EventRef, ProfileContext } from "../contract.ts";
import { createStore, type Store } from "../store.ts";
import { columnOf, hueOfText, paintsOf, type Paint } from "./colours.ts";
import { AXIS_HEIGHT, drawAxis } from "./draw_axis.ts";
import { activityOf, drawMap, drawMapGround, MAP_HEIGHT } from "./draw_map.ts";
import { BaseLayer, REST_MS } from "./base_layer.ts";
import { drawOverlay, isOverlayEmpty } from "./draw_overlay.ts";
import { Events, sameEvent } from "./events.ts";
import { Feed } from "./feed.ts";
import { gridOf, viewOnGrid } from "./grid.ts";
import { inksOf, type Inks } from "./inks.ts";
import { layoutRows, scrollToShow, type Layout } from "./layout.ts";
import { buildRows, placeOfTrack, toggleFolded } from "./rows.ts";
import type { OverlayScene, Scene, ThemeColours } from "./scene.ts";
import { levelOf } from "./tile.ts";
import { readTheme, watchTheme } from "./theme.ts";

export interface Surfaces {
	root: HTMLElement;
	scroller: HTMLElement;
	base: HTMLCanvasElement;
	overlay: HTMLCanvasElement;
	cursor: HTMLElement; // the line under the pointer
	axis: HTMLCanvasElement;
	map: HTMLCanvasElement;
}

export type Layer = "base" | "overlay" | "axis" | "map";

const ALL: Layer[] = ["base", "overlay", "axis", "map"];

export class Stage {
	readonly layout: Store<Layout>;
	readonly events: Events;
	readonly feed: Feed;
	drag: OverlayScene["drag"] = null;
	cursorX: number | null = null;
	width = 0;
	height = 0;
	scroll = 0;
	ownHover: EventRef | null = null; // the event under the pointer; no request is needed for it
	private dpr = 1;
	private surfaces: Surfaces | null = null;
	private readonly dirty = new Set<Layer>();
	private frame = 0;
	private colours!: ThemeColours;
	private paints: Paint[] = paintsOf("dark");
	private inks!: Inks;
	private readonly base = new BaseLayer();
	private restTimer: ReturnType<typeof setTimeout> | undefined; // set while the view moves
	private mapGround: HTMLCanvasElement | null = null; // redrawn when null
	private isOverlayClear = false;
	private readonly pieces: Scene["pieces"] = [];
	private endings: (() => void)[] = [];

	constructor(readonly context: ProfileContext) {
		this.layout = createStore(this.makeLayout());
		this.feed = new Feed(context, (...what) => {
			if (what.includes("rows")) this.invalidate("base");
			if (what.includes("map")) this.renewMap();
		});
		this.events = new Events(context, () => this.invalidate("overlay"));
	}

	private renewMap(): void {
		this.mapGround = null;
		this.invalidate("map");
	}

	private makeLayout(): Layout {
		const { details, tracks, settings } = this.context;
		return layoutRows(buildRows(details.kind, tracks, settings.get()));
	}


	attach(surfaces: Surfaces): void {
		this.surfaces = surfaces;
		this.readTheme();
		this.watchStores();
		this.endings.push(watchTheme(() => {
			this.readTheme();
			this.renewMap();
			this.invalidate(...ALL);
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
		this.feed.begin(this.layout.get());
		const selected = this.context.selected.get();
		if (selected) void this.events.select(selected).then(() => this.showSelected());
	}

	private watchStores(): void {
		const { context, feed, events } = this;
		const watch = <T>(store: Store<T>, listener: (now: T, before: T) => void) =>
			this.endings.push(store.watch(listener));
		watch(context.view, () => this.moved());
		watch(context.settings, (now, before) => {
			feed.labels.setColouring(now.colourBy, now.layerDepth);
			this.layout.set(this.makeLayout());
			if (now.showDependencies !== before.showDependencies) this.changeLinks();
			if (now.showBands !== before.showBands) this.renewMap();
			this.invalidate("base", "overlay");
		});
		watch(context.selected, (event) => void events.select(event).then(() => this.showSelected()));
		watch(context.hovered, (event) => {
			if (!sameEvent(event, this.ownHover)) void events.hover(event);
		});
		watch(context.markers, () => this.invalidate("overlay", "axis", "map"));
		watch(context.box, () => this.invalidate("overlay"));
		watch(context.search, () => feed.restart(feed.hits));
		watch(context.highlight, () => feed.restart(feed.highlights));
	}

	private moved(): void {
		clearTimeout(this.restTimer);
		this.restTimer = setTimeout(() => {
			this.restTimer = undefined;
			this.invalidate("base");
		}, REST_MS);
		this.invalidate(...ALL);
	}

	detach(): void {
		clearTimeout(this.restTimer);
		this.restTimer = undefined;
		for (const end of this.endings) end();
		this.endings = [];
		this.feed.stop();
		cancelAnimationFrame(this.frame);
		this.frame = 0;
		this.surfaces = null;
	}

	private readTheme(): void {
		this.colours = readTheme(this.surfaces!.root);
		this.paints = paintsOf(this.colours.theme);
		this.inks = inksOf(this.colours, this.paints);
	}

	/** Call it after changes of width that the ResizeObserver does not see. */
	measure(): void {
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
		this.mapGround = null;
		this.isOverlayClear = false;
		for (const layer of ALL) this.dirty.add(layer);
		this.draw(); // now, because a resized canvas is empty
	}


	invalidate(...layers: Layer[]): void {
		for (const layer of layers) this.dirty.add(layer);
		if (this.frame || !this.surfaces) return;
		this.frame = requestAnimationFrame(() => {
			this.frame = 0;
			this.draw();
		});
	}

	scene(): OverlayScene {
		const { context, feed, events } = this;
		const settings = context.settings.get();
		const widthPx = Math.round(this.width * this.dpr);
		const grid = gridOf(context.view.get(), widthPx);
		const view = viewOnGrid(grid, widthPx);
		const column = columnOf(settings.colourBy);
		const isFiltered = context.search.get()?.isFilter === true;
		return {
			textFromPx: settings.showText ? this.base.textFromPx(this.restTimer !== undefined) : Infinity,
			view, grid, inks: this.inks, endNs: context.endNs, width: this.width, height: this.height,
			dpr: this.dpr, scroll: this.scroll, layout: this.layout.get(), colours: this.colours,
			paints: this.paints,
			level: levelOf(view, widthPx), column,
			cache: feed.cache, marks: feed.hits.cache, hasSearch: context.search.get() !== null,
			spans: isFiltered ? { cache: feed.hits.cache, column: "" } : { cache: feed.cache, column },
			isFiltered,
			highlights: feed.highlights.cache, hasHighlight: context.highlight.get() !== null,
			huesOf: (strip) => feed.labels.huesOf(strip), nameOf: (id) => feed.labels.nameOf(id),
			counterHue: (track) => hueOfText(feed.trackOf(track)?.name.replace(/\d+/g, "") ?? ""),
			counterTop: (track, isCumulative) => feed.counterTop(track, isCumulative),
			cumulativeOf: (strip, batch) => feed.cumulativeOf(strip, batch),
			counterText: (track, value) => feed.counterText(track, value),
			bands: settings.showBands ? feed.bands : feed.gaps, gaps: feed.gaps, pieces: this.pieces,
			selected: events.selected, hovered: events.hovered, links: events.links,
			markers: context.markers.get(), box: context.box.get(), drag: this.drag,
			cursorX: this.cursorX,
		};
	}

	private draw(): void {
		const { surfaces, dirty } = this;
		if (!surfaces) return;
		const scene = this.scene();
		const pen = (canvas: HTMLCanvasElement) => canvas.getContext("2d", { alpha: false })!;
		if (dirty.has("base")) {
			this.feed.request(scene.view, this.width * this.dpr, scene.column, scene.layout, this.scroll,
				this.height);
			this.base.draw(surfaces.base, scene);
		}
		if (dirty.has("overlay")) this.drawOverlay(surfaces, scene);
		if (dirty.has("axis")) drawAxis(pen(surfaces.axis), scene);
		if (dirty.has("map")) this.drawMap(pen(surfaces.map), scene);
		dirty.clear();
	}

	/** The cursor line is a separate element, so moving it needs no redraw. */
	private drawOverlay({ overlay, cursor }: Surfaces, scene: OverlayScene): void {
		cursor.hidden = this.cursorX === null || this.drag !== null;
		cursor.style.transform = `translateX(${Math.round(this.cursorX ?? 0)}px)`;
		const isEmpty = isOverlayEmpty(scene);
		if (!isEmpty || !this.isOverlayClear) drawOverlay(overlay.getContext("2d")!, scene);
		// An invisible layer saves compositing.
		overlay.toggleAttribute("data-empty", isEmpty);
		this.isOverlayClear = isEmpty;
	}

	private drawMap(ctx: CanvasRenderingContext2D, scene: OverlayScene): void {
		if (!this.mapGround) {
			this.mapGround = document.createElement("canvas");
			this.mapGround.width = ctx.canvas.width;
			this.mapGround.height = ctx.canvas.height;
			const { overview } = this.feed;
			const activity = overview ? activityOf(overview, scene.endNs, this.width)
				: new Float32Array(0);
			drawMapGround(this.mapGround.getContext("2d", { alpha: false })!, scene, activity);
		}
		drawMap(ctx, scene, this.mapGround);
	}


	private changeLinks(): void {
		const event = this.context.selected.get();
		if (event && this.context.settings.get().showDependencies) void this.events.loadLinks(event);
		else this.events.dropLinks();
	}

	private showSelected(): void {
		const { selected } = this.events;
		if (!selected) return;
		const lane = this.layout.get().lanes.get(`${selected.track}:${selected.depth}`);
		if (lane) this.showRow(lane.placed.row.key);
		else this.openRowOf(selected.track);
	}

	/** Unfolds the group of an event selected elsewhere, or notifies why its row is not shown. */
	private openRowOf(track: number): void {
		const { details, tracks, settings, notify } = this.context;
		const place = placeOfTrack(details.kind, tracks, settings.get(), track);
		if (!place || this.layout.get().rows.some(({ row }) => row.key === place.key)) return;
		const group = this.layout.get().rows.find(({ row }) => row.key === place.group)?.row;
		if (group?.isFolded) {
			settings.update((now) => toggleFolded(now, group.key));
			requestAnimationFrame(() => this.showRow(place.key)); // after the page has grown
		} else if (details.kind === "device" && settings.get().rows === "minimal") {
			notify("This event's row is shown only in the full view.");
		} else {
			notify("This event's row is hidden; use the toolbar to show it.");
		}
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
