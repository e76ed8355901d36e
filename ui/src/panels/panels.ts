// SPDX-License-Identifier: Apache-2.0
// The panels that a profile's page can show, in the order of the menu.

import type { PanelKind } from "../contract.ts";
import { AnnotationsPanel } from "./annotations/annotations.tsx";
import { BoxSelectionPanel, CurrentSelectionPanel } from "./summary/selection_summary.tsx";
import { CollectivesPanel } from "./device/collectives.tsx";
import { DeviceProfilesPanel } from "./system/device_profiles.tsx";
import { DmaQueuesPanel } from "./device/dma_queues.tsx";
import { EventDetailsPanel } from "./events/event_details.tsx";
import { FlowsPanel } from "./events/flows.tsx";
import { HierarchyPanel } from "./hierarchy/hierarchy.tsx";
import { LayerSummaryPanel } from "./summary/layer_summary.tsx";
import { MemoryUsagePanel } from "./memory/memory_usage.tsx";
import { ModelInfoPanel, NeffHeaderPanel, NeffNodesPanel } from "./about/model_info.tsx";
import { OperatorTablePanel } from "./hierarchy/operator_table.tsx";
import { OverallSummaryPanel } from "./summary/overall_summary.tsx";
import { SearchPanel } from "./search/search.tsx";
import { SettingsPanel } from "./settings/settings_panel.tsx";
import { SourceCodePanel } from "./source/source_code.tsx";
import { SqlPanel } from "./sql/sql.tsx";
import { StepsPanel } from "./system/steps.tsx";
import { TensorsPanel } from "./memory/tensors.tsx";
import { TerminologyPanel } from "./about/terminology.tsx";
import { ThrottlingPanel } from "./device/throttling.tsx";
import { WarningsPanel } from "./about/warnings.tsx";

const DEVICE: PanelKind["kinds"] = ["device"];
const SYSTEM: PanelKind["kinds"] = ["system"];
const BOTH: PanelKind["kinds"] = ["device", "system"];

export const panels: PanelKind[] = [
	{ id: "event-details", title: "Event details", kinds: BOTH, component: EventDetailsPanel },
	{ id: "search", title: "Search", kinds: BOTH, component: SearchPanel },
	{ id: "operator-table", title: "Operator table", kinds: DEVICE, component: OperatorTablePanel },
	{ id: "hierarchy", title: "Hierarchy", kinds: DEVICE, component: HierarchyPanel },
	{ id: "layer-summary", title: "Layer summary", kinds: DEVICE, component: LayerSummaryPanel },
	{ id: "overall-summary", title: "Overall summary", kinds: DEVICE,
		component: OverallSummaryPanel },
	{ id: "current-selection", title: "Current selection summary", kinds: BOTH,
		component: CurrentSelectionPanel },
	{ id: "box-selection", title: "Box selection summary", kinds: BOTH,
		component: BoxSelectionPanel },
	{ id: "annotations", title: "Annotations", kinds: BOTH, component: AnnotationsPanel },
	{ id: "memory-usage", title: "Memory usage", kinds: BOTH, component: MemoryUsagePanel },
	{ id: "tensors", title: "Tensors", kinds: DEVICE, component: TensorsPanel },
	{ id: "dma-queues", title: "DMA queues", kinds: DEVICE, component: DmaQueuesPanel },
	{ id: "collectives", title: "Collectives", kinds: DEVICE, component: CollectivesPanel },
	{ id: "throttling", title: "Throttling", kinds: DEVICE, component: ThrottlingPanel },
	{ id: "device-profiles", title: "Device profiles", kinds: SYSTEM,
		component: DeviceProfilesPanel },
	{ id: "steps", title: "Steps", kinds: SYSTEM, component: StepsPanel },
	{ id: "flows", title: "Flows", kinds: SYSTEM, component: FlowsPanel },
	{ id: "source-code", title: "Source code", kinds: DEVICE, component: SourceCodePanel },
	{ id: "sql", title: "SQL", kinds: BOTH, component: SqlPanel },
	{ id: "warnings", title: "Warnings", kinds: BOTH, component: WarningsPanel },
	{ id: "model-info", title: "Model info", kinds: BOTH, component: ModelInfoPanel },
	{ id: "neff-header", title: "NEFF header", kinds: DEVICE, component: NeffHeaderPanel },
	{ id: "neff-nodes", title: "NEFF nodes", kinds: DEVICE, component: NeffNodesPanel },
	{ id: "terminology", title: "Terminology", kinds: BOTH, component: TerminologyPanel },
	{ id: "settings", title: "Settings", kinds: BOTH, component: SettingsPanel },
];
