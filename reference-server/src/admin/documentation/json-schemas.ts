import { z } from "zod";

/** A JSON Schema, as far as the documents look into it. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** Turns zod's schemas into JSON Schemas, and collects those with an `id` of their own. */
export interface JsonSchemaCollector {
  readonly components: Readonly<Record<string, JsonSchema>>;
  /** What goes in is described before it is transformed, what comes out afterwards. */
  convert(schema: z.ZodType, io: "input" | "output"): JsonSchema;
}

/** Where OpenAPI keeps schemas with a name. */
export const componentPrefix = "#/components/schemas/";

export function createJsonSchemaCollector(): JsonSchemaCollector {
  const components: Record<string, JsonSchema> = {};
  return {
    components,
    convert(schema, io) {
      const converted = z.toJSONSchema(schema, { io, unrepresentable: "any", override: dropSafeIntegers });
      const moved = JSON.parse(
        JSON.stringify(converted).replaceAll('"$ref":"#/$defs/', `"$ref":"${componentPrefix}`),
      ) as JsonSchema & { $schema?: string; $defs?: Record<string, JsonSchema> };
      const { $schema: _schema, $defs = {}, ...rest } = moved;
      for (const [name, component] of Object.entries($defs)) addComponent(components, name, component);
      return rest;
    },
  };
}

function addComponent(components: Record<string, JsonSchema>, name: string, component: JsonSchema): void {
  const known = components[name];
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(component)) {
    throw new Error(`Two schemas have the id "${name}". Give one of them another name in .meta({ id }).`);
  }
  components[name] = component;
}

/** Every integer would carry the bounds of what JavaScript can count. */
function dropSafeIntegers({ jsonSchema }: { jsonSchema: { minimum?: number; maximum?: number } }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}
