// SPDX-License-Identifier: Apache-2.0
// The first visit: an empty workspace, the sample, the tour; and what people need who use a keyboard,
// a screen reader or little motion.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { begin, optionOf, runCases, until } from "./harness.mjs";

const axe = readFileSync(join(resolve(optionOf("modules")), "axe-core/axe.min.js"), "utf8");
const world = await begin((w) => w.serve());
const SAMPLE = "sample_attention";

/** What axe finds, as lines; the rules of WCAG 2.1 at levels A and AA. */
async function faultsOf(page) {
	await page.evaluate(axe);
	const { violations } = await page.evaluate(() => globalThis.axe.run(document,
		{ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] }));
	return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target} ${node.html.slice(0, 140)}`));
}

const cases = {
	async "a sample opens from an empty workspace, with its source"() {
		const page = await world.page();
		await page.getByRole("button", { name: "Open a sample" }).click();
		await page.locator("canvas.tl-overlay").waitFor();
		assert.match(page.url(), new RegExp(`profile/${SAMPLE}`));
		const instructions = world.one(SAMPLE, "SELECT count(*) FROM Instruction");
		assert.ok(instructions > 100, `${instructions} instructions`);
		const { files } = await world.api(`profiles/${SAMPLE}/source`);
		assert.deepEqual(files.map(({ path }) => path.split("/").at(-1)), ["attention.nasm"]);
	},
	async "the first visit has a tour of six steps, which a second one has not"() {
		const page = await world.page(`profile/${SAMPLE}`, { isFirstVisit: true });
		const tour = page.getByRole("region", { name: "Tour" });
		for (let step = 1; step <= 6; step++) {
			await tour.getByText(`${step} of 6`).waitFor();
			await page.locator(".tour-frame").waitFor(); // there is something to show
			const { x, width } = await tour.boundingBox();
			const { x: free } = await page.locator(".app-page").boundingBox();
			assert.ok(x + width <= free, "the card covers nothing but the sidebar");
			await tour.getByRole("button", { name: step < 6 ? "Next" : "Close" }).click();
		}
		await tour.waitFor({ state: "detached" });
		await page.reload();
		await page.locator("canvas.tl-overlay").waitFor();
		assert.equal(await tour.count(), 0);
		await page.keyboard.press("?");
		await page.getByRole("button", { name: "Take the tour" }).click();
		await tour.getByText("1 of 6").waitFor();
	},
	async "axe finds no fault on any page, in both themes"() {
		for (const scheme of ["dark", "light"])
			for (const path of ["", `profile/${SAMPLE}`, `profile/${SAMPLE}/summary`]) {
				const page = await world.page(path, { scheme });
				await page.locator("main").waitFor();
				await until("nothing is loading", async () => !page.pending.size &&
					!/Loading/.test(await page.locator("main").innerText()));
				assert.deepEqual(await faultsOf(page), [], `${path || "the list"}, ${scheme}`);
			}
	},
	async "few stops lead to the tabs of a profile"() {
		const page = await world.page(`profile/${SAMPLE}`);
		await page.locator("canvas.tl-overlay").waitFor();
		await page.keyboard.press("Tab");
		assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Skip to the page");
		await page.keyboard.press("Enter");
		let stops = 2;
		for (; stops < 60; stops++) {
			await page.keyboard.press("Tab");
			if (await page.evaluate(() => document.activeElement?.closest(".top-tabs") !== null)) break;
		}
		assert.ok(stops < 6, `${stops} stops before the tabs of the profile`);
	},
};

await runCases(world, cases);
