// SPDX-License-Identifier: Apache-2.0
// Values kept in the browser's storage. Storage may be full, forbidden or written by an older
// version; the value is then silently not remembered.

const PREFIX = "neuron-explorer.";

export function remember(key: string, value: unknown): void {
	try {
		localStorage.setItem(PREFIX + key, JSON.stringify(value));
	} catch {
		// not remembered
	}
}

export function forget(key: string): void {
	try {
		localStorage.removeItem(PREFIX + key);
	} catch {
		// no storage
	}
}

export function recall<T>(key: string, isValid: (value: unknown) => boolean): T | null {
	try {
		const text = localStorage.getItem(PREFIX + key);
		if (text === null) return null;
		const value: unknown = JSON.parse(text);
		return isValid(value) ? (value as T) : null;
	} catch {
		return null;
	}
}
