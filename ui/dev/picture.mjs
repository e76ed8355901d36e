// SPDX-License-Identifier: Apache-2.0
// Takes a picture of a page: node dev/picture.mjs URL FILE [what to do first, as a function of page]

import { chromium } from "playwright-core";

const [url, file, script = "", size = "1600x900"] = process.argv.slice(2);
const [width, height] = size.split("x").map(Number);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width, height } });
page.on("console", (message) => console.log("page:", message.text()));
page.on("pageerror", (error) => console.log("error:", error.message, error.stack));
await page.goto(url);
await page.waitForTimeout(900);
if (script) await new Function("page", `return (async () => { ${script} })()`)(page);
await page.waitForTimeout(500);
const clip = process.argv[6]?.split(",").map(Number);
await page.screenshot({ path: file, ...(clip ? { clip: { x: clip[0], y: clip[1], width: clip[2], height: clip[3] } } : {}) });
await browser.close();
