// SPDX-License-Identifier: Apache-2.0
// A button that shows the whole profile, for panels that follow the timeline.

import type { ProfileContext } from "../../contract.ts";
import { wholeView } from "../../state/home.ts";
import { Button } from "./parts.tsx";

export function ShowAll({ context }: { context: ProfileContext }) {
	const show = () => {
		const all = wholeView(context.endNs);
		context.beforeJump(all);
		context.view.set(all);
	};
	return <Button onClick={show}>Show all</Button>;
}
