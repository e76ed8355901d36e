// SPDX-License-Identifier: Apache-2.0
// A page with nothing but a timeline, for work on it: ?profile=device|system, theme=light, select=,
// text= (a search). What it is made of is window.timeline, for scripts that measure.

import { render } from "preact";
import { Api } from "../src/api/client.ts";
import type { ProfileContext, Settings } from "../src/contract.ts";
import { stateOf } from "../src/state/url.ts";
import { createStore } from "../src/store.ts";
import { Timeline } from "../src/timeline/timeline.tsx";
import "./page.css";

const query = new URLSearchParams(location.search);
const name = query.get("profile") ?? "device";
if (query.get("theme")) document.documentElement.dataset["theme"] = query.get("theme")!;
const server = new Api("./");
const api = server.of(name);
const [details, tracks] = await Promise.all([server.profile(name), api.tracks()]);
const originNs = BigInt(tracks.from_ns);
const endNs = Number(BigInt(tracks.to_ns) - originNs);
const settings: Settings = {
	...stateOf(location.search).settings,
	rows: (query.get("rows") as Settings["rows"]) ?? "full",
};
const part = (query.get("view") ?? `0-${endNs}`).split("-").map(Number);
const context: ProfileContext = {
	name, details, originNs, endNs, home: { fromNs: 0, toNs: endNs }, tracks: tracks.tracks, api, server,
	view: createStore({ fromNs: part[0]!, toNs: part[1]! }),
	selected: createStore(query.get("select")
		? { table: query.get("table") ?? "Instruction", row: query.get("select")! } : null),
	hovered: createStore(null), box: createStore(null),
	search: createStore(query.get("text") ? { table: "", where: [], text: query.get("text")! } : null),
	highlight: createStore(null), markers: createStore([]), annotationSet: createStore(""), settings: createStore(settings),
	beforeJump: () => undefined,
	zoomTo: (fromNs, toNs) => context.view.set({ fromNs, toNs }),
	reveal: (event) => context.selected.set(event),
	openPanel: (id) => console.log("panel", id), openProfile: (other) => console.log("profile", other),
	notify: (sentence) => console.log(sentence),
};
(window as unknown as { timeline: ProfileContext }).timeline = context;
render(<Timeline context={context} />, document.getElementById("app")!);
