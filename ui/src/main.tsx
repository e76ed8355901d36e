// SPDX-License-Identifier: Apache-2.0
// Where the pages begin.

import { render } from "preact";
import "./style/theme.css";

render(<main>Neuron Explorer</main>, document.getElementById("app")!);
