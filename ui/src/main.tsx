// SPDX-License-Identifier: Apache-2.0
// The entry point.

import { render } from "preact";
import "./style/theme.css";
import "./style/base.css";
import { App } from "./app.tsx";
import { profileWatch } from "./server.ts";
import { tellWhatEnds } from "./shell/news.ts";
import { startTheme } from "./shell/theme.ts";

startTheme();
profileWatch.start();
tellWhatEnds();
render(<App />, document.getElementById("app")!);
