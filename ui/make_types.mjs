// SPDX-License-Identifier: Apache-2.0
// Writes the types of the API from its description:
//
//	node make_types.mjs < openapi.json > src/api/types.ts
//
// The server describes itself at /api/v1/openapi.json. tests/ui checks that types.ts is up to date.

import { readFileSync } from "node:fs";

const { components: { schemas } } = JSON.parse(readFileSync(0, "utf8"));

function typeOf(schema) {
	if (schema.$ref) return schema.$ref.split("/").pop();
	if ("const" in schema) return JSON.stringify(schema.const);
	if (schema.anyOf) return schema.anyOf.map(typeOf).join(" | ");
	if (schema.type === "array") {
		const item = typeOf(schema.items);
		return item.includes(" ") ? `(${item})[]` : `${item}[]`;
	}
	if (schema.type === "object") return `Record<string, ${typeOf(schema.additionalProperties)}>`;
	return schema.type === "integer" ? "number" : schema.type;
}

function declaration([name, schema]) {
	if (!schema.properties) {
		const type = typeOf(schema);
		return type.length < 70 ? `export type ${name} = ${type};`
			: `export type ${name} =\n${type.split(" | ").map((one) => `\t| ${one}`).join("\n")};`;
	}
	const base = schema.allOf ? ` extends ${schema.allOf.map(typeOf).join(", ")}` : "";
	const lines = Object.entries(schema.properties).map(([key, type]) =>
		`\t${key}${schema.required.includes(key) ? "" : "?"}: ${typeOf(type)};`);
	return `export interface ${name}${base} {\n${lines.join("\n")}\n}`;
}

process.stdout.write(`// SPDX-License-Identifier: Apache-2.0
// Written by make_types.mjs from the server's description; change serve/api_types.c instead.

${Object.entries(schemas).map(declaration).join("\n\n")}
`);
