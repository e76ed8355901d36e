// SPDX-License-Identifier: Apache-2.0
// The panels a profile's page can show, one row each.

import type { PanelKind } from "../contract.ts";

export const panels: PanelKind[] = [];
