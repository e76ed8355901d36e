// SPDX-License-Identifier: Apache-2.0
// Navigation between pages. The base is the URL our files were loaded from, so the pages work below
// any path of a proxy.

import { createStore } from "../store.ts";
import { pathOf, routeOf, type Route } from "./route.ts";

/** Absolute URL of the application's root, ending in a slash. */
export const base = new URL("../", import.meta.url).href;

function currentRoute(): Route {
	const root = new URL(base).pathname;
	const { pathname } = location;
	return routeOf(pathname.startsWith(root) ? pathname.slice(root.length) : pathname.slice(1));
}

export const route = createStore<Route>(currentRoute());
/** Counts Back and Forward, so that a page can read its state from the URL again. */
export const moves = createStore(0);

addEventListener("popstate", () => {
	const next = currentRoute();
	if (pathOf(next) !== pathOf(route.get())) route.set(next);
	moves.update((count) => count + 1);
});

export const urlOf = (to: Route): string => base + pathOf(to);

export function navigate(to: Route, query = ""): void {
	history.pushState(null, "", urlOf(to) + query);
	route.set(to);
}

/** For onClick of links: handles plain clicks; the browser handles clicks with modifier keys. */
export function follow(event: MouseEvent, to: Route, query = ""): void {
	if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
	event.preventDefault();
	navigate(to, query);
}
