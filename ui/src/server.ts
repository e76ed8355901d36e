// SPDX-License-Identifier: Apache-2.0
// The server that delivered these pages.

import { Api } from "./api/client.ts";
import { base } from "./state/navigate.ts";
import { ProfileWatch } from "./state/profiles.ts";

export const server = new Api(base);
export const profileWatch = new ProfileWatch(server);

/** The ssh command that forwards this page's port. */
export function tunnelCommand(): string {
	const port = location.port || (location.protocol === "https:" ? "443" : "80");
	const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
	return `ssh -N -L ${port}:localhost:${port} ${isLocal ? "user@host" : location.hostname}`;
}
