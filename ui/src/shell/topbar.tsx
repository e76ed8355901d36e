// SPDX-License-Identifier: Apache-2.0
// The bar above a page: the title on the left, actions on the right.

import type { ComponentChildren } from "preact";
import { useStore } from "../store.ts";
import { isHelpOpen } from "./help.tsx";
import { Icon } from "./icons.tsx";
import { theme, toggleTheme } from "./theme.ts";
import "./topbar.css";

export function TopBar({ children, actions }:
	{ children: ComponentChildren; actions?: ComponentChildren }) {
	const now = useStore(theme);
	const other = now === "dark" ? "light" : "dark";
	return (
		<header class="top-bar">
			<div class="top-left">{children}</div>
			<div class="top-right">
				{actions}
				<button type="button" class="ui-icon-button" onClick={toggleTheme}
					aria-label={`Use ${other} colours`} title={`Use ${other} colours (L)`}>
					<Icon name={now === "dark" ? "sun" : "moon"} />
				</button>
				<button type="button" class="ui-icon-button" onClick={() => isHelpOpen.set(true)}
					aria-label="Keyboard help" title="Keyboard help (?)">
					<Icon name="help" /></button>
			</div>
		</header>
	);
}
