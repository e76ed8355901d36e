// SPDX-License-Identifier: Apache-2.0
// Focus mode hides the bars; a button or Escape brings them back.

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
