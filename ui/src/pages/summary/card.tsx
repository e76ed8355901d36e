// SPDX-License-Identifier: Apache-2.0
// A card of the summary page.

import type { ComponentChildren } from "preact";
import { Explained } from "../../panels/parts/parts.tsx";

export function Card(props: { title: string; help?: string; wide?: boolean; bar?: ComponentChildren;
	mark?: ComponentChildren; children: ComponentChildren }) {
	return (
		<section class={props.wide ? "sm-card sm-wide" : "sm-card"} aria-label={props.title}>
			<header><h2><Explained text={props.title} help={props.help ?? ""} />{props.mark}</h2>
				{props.bar}</header>
			{props.children}
		</section>
	);
}
