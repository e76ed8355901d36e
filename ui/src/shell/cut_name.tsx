// SPDX-License-Identifier: Apache-2.0
// A name that is shortened in the middle if it does not fit. The caller adds a tooltip.

import { cutParts } from "./cut.ts";

export function CutName({ name }: { name: string }) {
	const [head, tail] = cutParts(name);
	return <span class="ui-cut"><span class="ui-cut-head">{head}</span>{tail &&
		<span class="ui-cut-tail">{tail}</span>}</span>;
}
