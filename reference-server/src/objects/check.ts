import type { z } from "zod";
import type { Message, MessageValues } from "../text/message.js";
import { textsIn } from "../text/texts.js";
import type { CodeBelow } from "../text/message-key.js";

type Issue = z.core.$ZodIssue;

/** What is wrong with one member: it stands behind the name of the member, "must not be empty". */
export interface FieldFault {
  /** Where it stands, such as `requestPrefixes.0`; nothing for the whole. */
  readonly path: string;
  readonly message: Message;
}

export type FaultCode = CodeBelow<"administration.faults">;

/** What is wrong with the member at this place. */
export function fault(path: string, code: FaultCode, values?: MessageValues): FieldFault {
  return { path, message: faultMessage(code, values) };
}

export function faultMessage(code: FaultCode, values?: MessageValues): Message {
  return { key: `administration.faults.${code}`, ...(values !== undefined && { values }) };
}

/** A fault as a schema names it: the code stands where zod has a message. */
export function issue(
  code: FaultCode,
  values?: MessageValues,
): { message: FaultCode; params: MessageValues } {
  return { message: code, params: values ?? {} };
}

/** Adds faults that a rule has found to those of a schema. */
export function addFaults(context: z.RefinementCtx, faults: readonly RuleFault[]): void {
  for (const { path, code, values } of faults) {
    context.addIssue({ code: "custom", path: [...path], ...issue(code, values) });
  }
}

/** What a rule beyond the form of a value has found, and where in it. */
export interface RuleFault {
  readonly path: readonly (string | number)[];
  readonly code: FaultCode;
  readonly values?: MessageValues;
}

/** The value as its schema gives it, or everything that is wrong with it. */
export type Checked<T> =
  | { readonly value: T; readonly faults?: undefined }
  | { readonly faults: readonly PlacedFault[] };

/** A fault with the parts of its place. */
export interface PlacedFault extends FieldFault {
  readonly place: readonly PropertyKey[];
}

/** Checks what came from outside with a schema, and says what is wrong as codes. */
export function check<Schema extends z.ZodType>(schema: Schema, value: unknown): Checked<z.output<Schema>> {
  const result = schema.safeParse(value, { error: ownCode });
  return result.success ? { value: result.data } : { faults: result.error.issues.flatMap(toFaults) };
}

/** A code for what zod finds by itself. What a schema says itself wins over it. */
function ownCode(found: z.core.$ZodRawIssue): FaultCode {
  switch (found.code) {
    case "invalid_type":
      return found.input === undefined ? "missing" : "mustBe";
    case "too_small":
      if (found.origin === "string" && found.minimum === 1) return "notEmpty";
      return `${sizeOf(found.origin)}Least`;
    case "too_big":
      return `${sizeOf(found.origin)}Most`;
    case "invalid_value":
      return "oneOf";
    case "invalid_format":
      return formats[found.format] ?? "format";
    case "custom":
    case "invalid_element":
    case "invalid_key":
    case "invalid_union":
    case "not_multiple_of":
    case "unrecognized_keys":
    default:
      return "notValid";
  }
}

const formats: Readonly<Record<string, FaultCode>> = {
  email: "email",
  uuid: "uuid",
  datetime: "time",
  url: "url",
};

function sizeOf(origin: string): "items" | "characters" | "number" {
  if (origin === "array") return "items";
  return origin === "string" ? "characters" : "number";
}

function toFaults(found: Issue): PlacedFault[] {
  if (found.code !== "unrecognized_keys") {
    const place = found.path;
    return [{ place, path: place.map(String).join("."), message: describe(found) }];
  }
  return found.keys.map((key) => {
    const place = [...found.path, key];
    return { place, ...fault(place.map(String).join("."), "unknownMember") };
  });
}

function describe(found: Issue): Message {
  if (found.code === "invalid_union") return describeUnion(found);
  const code = isFaultCode(found.message) ? found.message : "notValid";
  return faultMessage(code, valuesOf(found));
}

function isFaultCode(text: string): text is FaultCode {
  return textsIn("en").has(`administration.faults.${text}`);
}

function valuesOf(found: Issue): MessageValues {
  switch (found.code) {
    case "invalid_type":
      return { type: found.expected };
    case "too_small":
      return { count: Number(found.minimum) };
    case "too_big":
      return { count: Number(found.maximum) };
    case "invalid_value":
      return { values: { any: found.values.map((value) => JSON.stringify(value)) } };
    case "custom":
      return (found.params ?? {}) as MessageValues;
    case "invalid_element":
    case "invalid_format":
    case "invalid_key":
    case "invalid_union":
    case "not_multiple_of":
    case "unrecognized_keys":
    default:
      return {};
  }
}

function describeUnion(found: Extract<Issue, { code: "invalid_union" }>): Message {
  const { options } = found as { readonly options?: readonly unknown[] };
  if (options !== undefined) {
    return faultMessage("oneOf", { values: { any: options.map((value) => JSON.stringify(value)) } });
  }
  const inner = found.errors
    .flatMap((issues) => issues.filter(({ path }) => path.length === 0))
    .map(describe);
  if (inner.length === 0) return faultMessage("noKnownForm");
  const [first] = inner;
  const different = inner.filter((message, index) => {
    const text = JSON.stringify(message);
    return inner.findIndex((other) => JSON.stringify(other) === text) === index;
  });
  return different.length === 1 && first !== undefined
    ? first
    : faultMessage("either", { faults: { any: different } });
}
