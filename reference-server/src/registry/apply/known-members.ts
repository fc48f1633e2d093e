import { z } from "zod";
import { isSimilar } from "../../text/similar-names.js";
import { type FieldFault, fault } from "../../objects/check.js";

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
}

/** Says of a member that nobody knows which one was probably meant, or which there are. */
export function createMemberFault(schema: z.ZodType): (place: readonly PropertyKey[]) => FieldFault {
  const document = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;
  return (place) => {
    const path = place.map(String).join(".");
    const wrong = String(place.at(-1));
    const known = [...new Set(place.slice(0, -1).reduce(below, [document]).flatMap(namesOf))];
    const meant = known.find((name) => isSimilar(wrong.toLowerCase(), name.toLowerCase()));
    return meant === undefined
      ? fault(path, "unknownMemberAmong", { known: { all: known } })
      : fault(path, "unknownMemberMeant", { meant });
  };
}

function below(schemas: readonly JsonSchema[], part: PropertyKey): readonly JsonSchema[] {
  return schemas.flatMap(formsOf).flatMap((schema) => {
    const next = typeof part === "number" ? schema.items : schema.properties?.[String(part)];
    return next === undefined ? [] : [next];
  });
}

function namesOf(schema: JsonSchema): readonly string[] {
  return formsOf(schema).flatMap(({ properties = {} }) => Object.keys(properties));
}

/** What may stand in one place has several forms; a name is known when one of them has it. */
function formsOf(schema: JsonSchema): readonly JsonSchema[] {
  return [schema, ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap(formsOf)];
}
