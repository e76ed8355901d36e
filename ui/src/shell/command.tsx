// SPDX-License-Identifier: Apache-2.0
// A shell command with a copy button.

import { Icon } from "./icons.tsx";
import { notify } from "./toasts.tsx";

export async function copyText(text: string, what: string): Promise<void> {
	try {
		await navigator.clipboard.writeText(text);
		notify(`${what} copied.`);
	} catch {
		// Browsers allow it only for https and localhost.
		notify(`The browser does not allow this page to copy. ${what}: ${text}`);
	}
}

export function Command({ text }: { text: string }) {
	return (
		<div class="ui-command">
			<code tabIndex={0}>{text}</code>
			<button type="button" class="ui-icon-button" aria-label={`Copy: ${text}`} title="Copy"
				onClick={() => void copyText(text, "Command")}><Icon name="copy" size={14} /></button>
		</div>
	);
}
