// SPDX-License-Identifier: Apache-2.0
// Focus mode: nothing but the work; the bars come back with a button or Escape.

import { createStore, useStore } from "../store.ts";
import { Icon } from "./icons.tsx";

export const isFocused = createStore(false);
export const toggleFocus = () => isFocused.update((now) => !now);

export function LeaveFocus() {
	if (!useStore(isFocused)) return null;
	return (
		<button type="button" class="app-leave-focus" onClick={toggleFocus}
			aria-label="Leave focus mode" title="Leave focus mode (Esc)"><Icon name="focus"
				size={14} /></button>
	);
}
