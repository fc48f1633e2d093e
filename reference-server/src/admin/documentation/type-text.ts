import { componentPrefix, type JsonSchema } from "./json-schemas.js";

/** The name of the component that a schema refers to. */
export function referenceName({ $ref }: JsonSchema): string | undefined {
  return $ref?.startsWith(componentPrefix) === true ? $ref.slice(componentPrefix.length) : undefined;
}

/** A type in a few characters: `string[] | null`, `"name" | "-name"`. */
export function typeText(schema: JsonSchema): string {
  const name = referenceName(schema);
  if (name !== undefined) return name;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const union = schema.anyOf ?? schema.oneOf;
  if (union !== undefined) return [...new Set(union.map(typeText))].join(" | ");
  if (schema.allOf !== undefined) return schema.allOf.map(typeText).join(" & ");
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? []);
  return types.length === 0 ? "any" : types.map((type) => simpleType(type, schema)).join(" | ");
}

function simpleType(type: string, { items, format }: JsonSchema): string {
  if (type === "array") {
    const item = typeText(items ?? {});
    return item.includes(" ") ? `(${item})[]` : `${item}[]`;
  }
  return type === "string" && format !== undefined ? format : type;
}

/** What limits a value, beside its type: `1 to 200`, `at most 500 characters`, `default 50`. */
export function limitsText(schema: JsonSchema): string {
  const { minimum, maximum, maxLength } = schema;
  const parts = [
    minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}` : "",
    maxLength === undefined ? "" : `at most ${maxLength} characters`,
    schema.default === undefined ? "" : `default ${JSON.stringify(schema.default)}`,
  ];
  return parts.filter((part) => part !== "").join(", ");
}
