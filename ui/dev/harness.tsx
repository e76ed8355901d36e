// SPDX-License-Identifier: Apache-2.0
// One panel, or the summary page, alone on a page with a context of its own:
// ?profile=NAME&panel=ID[&theme=light][&select=TABLE:ROW][&box=FROM,TO][&view=FROM,TO]

import { render } from "preact";
import { Api } from "../src/api/client.ts";
import type { Box, EventRef, Marker, ProfileContext, SearchQuery, Settings } from "../src/contract.ts";
import { DEFAULT_SETTINGS } from "../src/state/url.ts";
import { createStore } from "../src/store.ts";
import { panels } from "../src/panels/panels.ts";
import { SummaryPage } from "../src/pages/summary/summary.tsx";
import "../src/style/theme.css";
import "./harness.css";

const query = new URLSearchParams(location.search);
document.documentElement.dataset.theme = query.get("theme") ?? "dark";

function pair(name: string): [number, number] | null {
	const [from, to] = (query.get(name) ?? "").split(",").map(Number);
	return from !== undefined && to !== undefined ? [from, to] : null;
}

async function start() {
	const server = new Api("/");
	const name = query.get("profile") ?? "demo";
	const details = await server.profile(name);
	const api = server.of(name);
	const tracks = (await api.tracks()).tracks;
	const originNs = BigInt(details.from_ns);
	const endNs = Number(BigInt(details.to_ns) - originNs);
	const [table, row] = (query.get("select") ?? "").split(":");
	const [boxFrom, boxTo] = pair("box") ?? [];
	const [from, to] = pair("view") ?? [0, endNs];
	const selected = createStore<EventRef | null>(table && row ? { table, row } : null);
	const context: ProfileContext = {
		name, details, originNs, endNs, tracks, api, server, selected, home: { fromNs: 0, toNs: endNs },
		view: createStore({ fromNs: from, toNs: to }),
		hovered: createStore<EventRef | null>(null),
		box: createStore<Box | null>(boxFrom === undefined || boxTo === undefined ? null
			: { fromNs: boxFrom, toNs: boxTo, tracks: null }),
		search: createStore<SearchQuery | null>(null),
		highlight: createStore<SearchQuery | null>(null),
		markers: createStore<Marker[]>(query.has("markers") ? [
			{ id: "a", name: "Layer 0", timeNs: endNs * 0.1, colour: "#e69f00", diffTo: null },
			{ id: "b", name: "Layer 1", timeNs: endNs * 0.45, colour: "#3b8fd1", diffTo: null },
		] : []),
		settings: createStore<Settings>(DEFAULT_SETTINGS),
		beforeJump: () => undefined,
		zoomTo: (a, b) => context.view.set({ fromNs: a, toNs: b }),
		reveal: (event) => selected.set(event),
		openPanel: (id) => console.log("open panel", id),
		openProfile: (profile) => console.log("open profile", profile),
		notify: (sentence) => console.log(sentence),
	};
	(globalThis as { context?: ProfileContext }).context = context;
	const id = query.get("panel") ?? "summary-page";
	const kind = panels.find((one) => one.id === id);
	const Component = kind?.component ?? SummaryPage;
	render(<div class="hs"><Component context={context} /></div>, document.getElementById("app")!);
}

void start();
