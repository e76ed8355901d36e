// SPDX-License-Identifier: Apache-2.0
// What a trace says against what the JSON export of the same capture says.

export const counts = { checks: 0, failures: 0 };

export function check(what, got, want) {
  counts.checks++;
  const [a, b] = [JSON.stringify(got), JSON.stringify(want)];
  if (a === b) return;
  counts.failures++;
  console.log(`not ok: ${what}\n  trace ${String(a).slice(0, 600)}\n  json  ${String(b).slice(0, 600)}`);
}
