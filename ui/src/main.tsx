// SPDX-License-Identifier: Apache-2.0
// The entry point.

import { render } from "preact";
import "./style/theme.css"; // before the styles of components
import "./style/base.css";
import { App } from "./app.tsx";
import { profileWatch } from "./server.ts";
import { startTheme } from "./shell/theme.ts";
import { navigate } from "./state/navigate.ts";
import { finished } from "./state/profiles.ts";
import { notify } from "./shell/toasts.tsx";

/** Notifies the user, on any page, when the processing of a profile ends. */
function announceProcessed(): void {
	profileWatch.list.watch((now, before) => {
		for (const { name, state, reason } of finished(before.profiles, now.profiles)) {
			if (state === "ready")
				notify(`${name} is ready.`, "info",
					{ title: "Open", run: () => navigate({ page: "analysis", profile: name }) });
			else notify(`${name} could not be processed. ${reason}`.trim(), "error");
		}
	});
}

startTheme();
profileWatch.start();
announceProcessed();
render(<App />, document.getElementById("app")!);
