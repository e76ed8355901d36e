// SPDX-License-Identifier: Apache-2.0
// A command to type, with a button that copies it.

import { Icon } from "./icons.tsx";
import { notify } from "./toasts.tsx";

export async function copyText(text: string, what: string): Promise<void> {
	try {
		await navigator.clipboard.writeText(text);
		notify(`${what} copied.`);
	} catch {
		// Browsers forbid it on plain http from other machines.
		notify(`The browser does not allow this page to copy. ${what}: ${text}`);
	}
}

export function Command({ text }: { text: string }) {
	return (
		<div class="ui-command">
			<code>{text}</code>
			<button type="button" class="ui-icon-button" aria-label={`Copy: ${text}`} title="Copy"
				onClick={() => void copyText(text, "Command")}><Icon name="copy" size={14} /></button>
		</div>
	);
}
