// SPDX-License-Identifier: Apache-2.0
// Pictures of panels as dev/server.mjs shows them, to be looked at:
//	node dev/shoot.mjs OUT [--width N] [--height N] NAME=QUERY…   e.g. "a=profile=demo&panel=sql"
// A name that ends in "-all" is taken in both themes. Failures of the page are printed.

import { chromium } from "playwright-core";

const args = process.argv.slice(2);
const take = (name, otherwise) => {
	const at = args.indexOf(name);
	return at < 0 ? otherwise : args.splice(at, 2)[1];
};
const width = Number(take("--width", "1100"));
const height = Number(take("--height", "420"));
const base = take("--base", "http://127.0.0.1:8123/");
const script = take("--do", "");
const [out, ...shots] = args;

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width, height } });
page.on("pageerror", (failure) => console.log(`page: ${failure.message}`));
page.on("console", (message) => message.type() === "error" && console.log(`console: ${message.text()}`));
await page.request.get(`${base}rebuild`);
for (const shot of shots) {
	const at = shot.indexOf("=");
	const name = shot.slice(0, at);
	for (const theme of name.endsWith("-all") ? ["dark", "light"] : ["dark"]) {
		await page.goto(`${base}?${shot.slice(at + 1)}&theme=${theme}`);
		await page.waitForLoadState("networkidle");
		if (script) await page.evaluate(script);
		await page.waitForTimeout(script ? 1500 : 400);
		await page.screenshot({ path: `${out}/${name}${theme === "light" ? "-light" : ""}.png` });
	}
}
await browser.close();
