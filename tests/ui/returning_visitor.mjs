// SPDX-License-Identifier: Apache-2.0

/** Lets the pages of a browser context open without the tour, as for somebody who has seen it. */
export async function returningVisitor(context) {
	await context.addInitScript(() => {
		// Pages without an origin, such as about:blank, have no storage.
		if (location.protocol.startsWith("http"))
			localStorage.setItem("neuron-explorer.tour", '"seen"');
	});
}
