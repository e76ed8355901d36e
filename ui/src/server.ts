// SPDX-License-Identifier: Apache-2.0
// The one server these pages talk to.

import { Api } from "./api/client.ts";
import { base } from "./state/navigate.ts";
import { ProfileWatch } from "./state/profiles.ts";

export const server = new Api(base);
export const profileWatch = new ProfileWatch(server);

/** The line that makes this page's port reachable from another machine. */
export function tunnelCommand(): string {
	const port = location.port || (location.protocol === "https:" ? "443" : "80");
	const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
	return `ssh -N -L ${port}:localhost:${port} ${isLocal ? "user@host" : location.hostname}`;
}
