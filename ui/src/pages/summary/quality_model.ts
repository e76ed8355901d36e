// SPDX-License-Identifier: Apache-2.0
// Which numbers a warning of the capture puts in doubt.

export type Topic = "model flops" | "instructions" | "dma";

export interface Doubt {
	topics: Topic[];
	message: string;
}

// What the sentences of the table Warning are about; others concern no number of the pages.
const TOPICS: [RegExp, Topic[]][] = [
	[/HLO statistics/, ["model flops"]],
	[/instructions have no recorded|instruction records/, ["instructions"]],
	[/DMA queues|DMA records|dynamic DMAs|packets/, ["dma"]],
	[/dropped|overflow|lost/, ["instructions", "dma"]],
];

export function doubtsOf(messages: string[]): Doubt[] {
	return messages.map((message) => ({ message, topics: [...new Set(TOPICS
		.filter(([pattern]) => pattern.test(message)).flatMap(([, topics]) => topics))] }))
		.filter((doubt) => doubt.topics.length);
}

/** Why a number of the topic may be wrong; "" if nothing speaks against it. */
export const reasonOf = (doubts: Doubt[], topic: Topic): string => doubts
	.filter((doubt) => doubt.topics.includes(topic)).map((doubt) => doubt.message).join(" ");
