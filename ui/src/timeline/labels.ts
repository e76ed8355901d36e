// SPDX-License-Identifier: Apache-2.0
// Names of spans and values of colour codes. Tiles contain ids; their texts are fetched in batches
// and cached. Also computes the colour of each item of a strip.

import type { ProfileApi } from "../api/client.ts";
import type { Track } from "../api/types.ts";
import type { ColourBy } from "../contract.ts";
import {
	columnOf, ERROR_HUE, hueOfAll, hueOfText, layerPart, NO_VALUE, operatorOf,
} from "./colours.ts";
import { NO_COLOUR, type SpanStrip } from "./tile.ts";

const NAMES_A_REQUEST = 400;
const UNKNOWN_HUE = 255;

export class Labels {
	private names: (string | undefined)[] = [];
	private hues: number[] = []; // by name
	private readonly asked = new Set<number>();
	private waiting: number[] = [];
	private timer: ReturnType<typeof setTimeout> | undefined;
	private readonly codes = new Map<string, number[]>(); // "table/column" to hues by code
	private readonly values = new Map<string, string[]>(); // "table/column" to values by code
	private layerDepth = 0;
	private version = 0;
	private colourBy: ColourBy = "name";
	private kept = new WeakMap<SpanStrip, { version: number; hues: Uint8Array }>();
	private readonly tracks: Map<number, Track>;

	constructor(private readonly api: Pick<ProfileApi, "names" | "colours">, tracks: Track[],
		private readonly onChange: () => void) {
		this.tracks = new Map(tracks.map((track) => [track.id, track]));
	}

	nameOf(id: number): string | undefined {
		return this.names[id];
	}

	setColouring(colourBy: ColourBy, layerDepth: number): void {
		if (colourBy === this.colourBy && layerDepth === this.layerDepth) return;
		this.colourBy = colourBy;
		this.layerDepth = layerDepth;
		this.version++;
		for (const key of this.values.keys()) this.readCodes(key);
		const column = columnOf(colourBy);
		if (!column) return;
		// Only the Instruction table has these columns.
		for (const table of new Set([...this.tracks.values()].map((track) => track.table)))
			if (table === "Instruction") void this.loadCodes(table, column);
	}

	private async loadCodes(table: string, column: string): Promise<void> {
		const key = `${table}/${column}`;
		if (this.codes.has(key)) return;
		this.codes.set(key, []);
		try {
			this.values.set(key, (await this.api.colours(table, column)).values);
			this.readCodes(key);
			this.changed();
		} catch {
			this.codes.delete(key); // shown in grey; retried with the next choice
		}
	}

	private readCodes(key: string): void {
		const isOperator = key.endsWith("/hlo_name");
		this.codes.set(key, this.values.get(key)!.map((value) =>
			hueOfText(isOperator ? operatorOf(value) : layerPart(value, this.layerDepth))));
	}

	private changed(): void {
		this.version++;
		this.onChange();
	}

	/** Requests the names of unknown ids in a response. */
	learn(strips: Iterable<SpanStrip>): void {
		for (const strip of strips) {
			const { name, count } = strip;
			let last = -1;
			for (let i = 0; i < count; i++) {
				const id = name[i]!;
				if (id === last || this.asked.has(id)) continue;
				last = id;
				this.asked.add(id);
				this.waiting.push(id);
			}
		}
		if (this.waiting.length && this.timer === undefined)
			this.timer = setTimeout(() => void this.fetchNames(), 0);
	}

	private async fetchNames(): Promise<void> {
		this.timer = undefined;
		const ids = this.waiting;
		this.waiting = [];
		for (let at = 0; at < ids.length; at += NAMES_A_REQUEST) {
			const some = ids.slice(at, at + NAMES_A_REQUEST);
			try {
				const names = await this.api.names(some);
				some.forEach((id, index) => {
					this.names[id] = names[index] ?? "";
				});
				this.changed();
			} catch {
				for (const id of some) this.asked.delete(id); // the next response retries
			}
		}
	}

	private hueOfName(id: number): number {
		const known = this.hues[id];
		if (known !== undefined) return known;
		const name = this.names[id];
		if (name === undefined) return NO_VALUE;
		return (this.hues[id] = hueOfText(name));
	}

	/** The index of the paint of each item. */
	huesOf(strip: SpanStrip): Uint8Array {
		const kept = this.kept.get(strip);
		if (kept && kept.version === this.version) return kept.hues;
		const hues = kept?.hues ?? new Uint8Array(strip.count);
		this.fill(hues, strip);
		this.kept.set(strip, { version: this.version, hues });
		return hues;
	}

	private fill(hues: Uint8Array, strip: SpanStrip): void {
		const track = this.tracks.get(strip.track);
		const column = columnOf(this.colourBy);
		const all = track ? hueOfAll(this.colourBy, track) : NO_VALUE;
		if (track?.table === "Error") {
			hues.fill(ERROR_HUE);
		} else if (all !== null) {
			hues.fill(all);
		} else if (column) {
			const codes = this.codes.get(`${track?.table}/${column}`);
			for (let i = 0; i < strip.count; i++) {
				const code = strip.colour[i]!;
				hues[i] = code === NO_COLOUR ? NO_VALUE : codes?.[code] ?? NO_VALUE;
			}
		} else {
			let lastId = -1, lastHue = UNKNOWN_HUE;
			for (let i = 0; i < strip.count; i++) {
				const id = strip.name[i]!;
				if (id !== lastId) {
					lastId = id;
					lastHue = this.hueOfName(id);
				}
				hues[i] = lastHue;
			}
		}
	}
}
