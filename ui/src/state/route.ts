// SPDX-License-Identifier: Apache-2.0
// Maps URL paths to pages and back.

export type Route =
	| { page: "manager" }
	| { page: "analysis" | "summary"; profile: string }
	| { page: "ranks"; profile: string } // the common name of several profiles
	| { page: "unknown"; path: string };

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text; // a lone %, typed by hand
	}
}

/** The path is relative to the base, without a leading slash. */
export function routeOf(path: string): Route {
	const parts = path.split("/");
	if (parts.at(-1) === "") parts.pop();
	const [first, name, third] = parts;
	if (first === undefined || (first === "index.html" && parts.length === 1))
		return { page: "manager" };
	if (first === "profile_cc" && name && parts.length === 2)
		return { page: "ranks", profile: decoded(name) };
	if ((first === "profile" || first === "profile_cc") && name) {
		const profile = decoded(name);
		if (parts.length === 2) return { page: "analysis", profile };
		if (parts.length === 3 && third === "summary") return { page: "summary", profile };
	}
	return { page: "unknown", path };
}

export function pathOf(route: Route): string {
	switch (route.page) {
	case "manager": return "";
	case "analysis": return `profile/${encodeURIComponent(route.profile)}`;
	case "ranks": return `profile_cc/${encodeURIComponent(route.profile)}`;
	case "summary": return `profile/${encodeURIComponent(route.profile)}/summary`;
	case "unknown": return route.path;
	}
}
