// SPDX-License-Identifier: Apache-2.0
// The browser's address bar. The base is where our files came from, whatever prefix a proxy put in
// front, so the pages work below any path.

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
/** Counts moves through the history, so that a page can take its state from the URL again. */
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

/** For onClick of links: plain clicks stay on the page, others are the browser's. */
export function follow(event: MouseEvent, to: Route): void {
	if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
	event.preventDefault();
	navigate(to);
}
