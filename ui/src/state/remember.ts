// SPDX-License-Identifier: Apache-2.0
// Values the browser keeps between visits. Storage may be full, forbidden or written by an older
// version: none of that is an error, the value is just not remembered.

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
		// there was nothing
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
