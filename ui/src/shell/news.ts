// SPDX-License-Identifier: Apache-2.0
// Notifies the user, on any page, when the processing of a profile ends.

import { profileWatch } from "../server.ts";
import { navigate } from "../state/navigate.ts";
import { finished } from "../state/profiles.ts";
import { notify } from "./toasts.tsx";

export function tellWhatEnds(): void {
	profileWatch.list.watch((now, before) => {
		for (const { name, state, reason } of finished(before.profiles, now.profiles)) {
			if (state === "ready")
				notify(`${name} is ready.`, "info",
					{ title: "Open", run: () => navigate({ page: "analysis", profile: name }) });
			else notify(`${name} could not be processed. ${reason}`.trim(), "error");
		}
	});
}
