// SPDX-License-Identifier: Apache-2.0
// The panels a profile's page can show, one row each, in the order of the menu.

import type { PanelKind } from "../contract.ts";
import { EventDetailsPanel } from "./event_details.tsx";

export const panels: PanelKind[] = [
	{ id: "event-details", title: "Event details", kinds: ["device", "system"], component: EventDetailsPanel },
];
