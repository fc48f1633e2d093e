import { isJsonObject } from "@authz/dpop/jws";
import {
  type Attribute,
  type Complex,
  type Document,
  findAttribute,
  isIgnored,
  isOwn,
  onePrimary,
  readObject,
  readValue,
  requireSchema,
  type ResourceSchema,
  type Value,
} from "./attributes.js";
import type { Filter } from "../store/scim-filter.js";
import { type AttributePath, parsePath } from "./filter.js";
import { refused } from "./scim-error.js";

/** One operation on one attribute that is kept (RFC 7644 §3.5.2). */
export interface Operation {
  readonly op: "add" | "replace" | "remove";
  readonly known: Attribute;
  readonly path: AttributePath;
  readonly value: unknown;
}

const patchSchema = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const maximumOperations = 1_000;

/**
 * Reads the operations of a PATCH, those without a path as one for each member of their value.
 *
 * Entra ID capitalizes `op`, and both vendors send `id` and `schemas` in a value without a path; a standard attribute that is not kept is
 * left out.
 *
 * @param id - of the resource, which no operation can change
 * @throws {ScimError} `invalidSyntax`, `invalidPath`, `invalidValue`, `noTarget`, `mutability`
 */
export function readOperations(body: unknown, resource: ResourceSchema, id: string): readonly Operation[] {
  const members = readObject(body);
  requireSchema(members.get("schemas"), patchSchema);
  const operations: unknown = members.get("operations");
  if (!Array.isArray(operations) || operations.length === 0) {
    throw refused("invalidSyntax", '"Operations" has to be a list with at least one operation.');
  }
  if (operations.length > maximumOperations) {
    throw refused("tooMany", `A request has at most ${maximumOperations} operations.`);
  }
  return operations.flatMap((operation) => readOperation(operation, resource, id));
}

function readOperation(operation: unknown, resource: ResourceSchema, id: string): readonly Operation[] {
  const members = readObject(operation);
  const op = readOp(members.get("op"));
  const path = members.get("path");
  const value = members.get("value");
  if (path !== undefined && path !== null) {
    if (typeof path !== "string") throw refused("invalidPath", '"path" has to be a text.');
    return toOperation({ op, path, value }, resource, id);
  }
  if (op === "remove") throw refused("noTarget", 'An operation "remove" needs a path.');
  if (!isJsonObject(value)) {
    throw refused("invalidValue", "Without a path, the value has to be an object with attributes.");
  }
  return [...readObject(value)].flatMap(([name, item]) =>
    toOperation({ op, path: name, value: item }, resource, id),
  );
}

function readOp(op: unknown): Operation["op"] {
  const name = typeof op === "string" ? op.toLowerCase() : "";
  if (name === "add" || name === "replace" || name === "remove") return name;
  throw refused("invalidSyntax", '"op" has to be add, replace or remove.');
}

function toOperation(
  { op, path: text, value }: { readonly op: Operation["op"]; readonly path: string; readonly value: unknown },
  resource: ResourceSchema,
  id: string,
): readonly Operation[] {
  const path = parsePath(text, resource.urn);
  const { attribute } = path;
  if (isIgnored(resource, attribute)) return [];
  if (isOwn(attribute)) {
    const isSame = attribute !== "id" || value === id;
    if (op === "remove" || !isSame) throw refused("mutability", `"${attribute}" cannot be changed.`);
    return [];
  }
  const known = findAttribute(resource.attributes, attribute);
  if (known === undefined) {
    throw refused("invalidPath", `There is no attribute "${attribute.slice(0, 100)}" here.`);
  }
  if (op !== "remove" && value === undefined) {
    throw refused("invalidValue", `The operation on "${known.name}" has no value.`);
  }
  return [{ op, known, path, value }];
}

/**
 * The document after an operation. Nothing but names of the schema ever becomes a key of it.
 *
 * @throws {ScimError} `invalidPath`, `invalidValue`, `noTarget`, `mutability`
 */
export function applyOperation(document: Document, operation: Operation): Document {
  const { known } = operation;
  const before = document[known.name];
  const after = known.multiValued
    ? changeList(Array.isArray(before) ? before : [], operation)
    : changeSingle(before, operation);
  const { [known.name]: _before, ...rest } = document;
  if (after !== undefined) return { ...rest, [known.name]: after };
  if (known.required || known.type === "boolean") {
    throw refused("mutability", `"${known.name}" cannot be removed.`);
  }
  return rest;
}

function changeSingle(
  before: Value | undefined,
  { op, known, path: { filter, sub }, value }: Operation,
): Value | undefined {
  if (filter !== undefined) throw refused("invalidPath", `"${known.name}" has one value, and no filter.`);
  if (sub === undefined) {
    const after = op === "remove" ? undefined : readValue(known, value);
    if (known.type !== "complex" || after === undefined) return after;
    return { ...(before as Complex | undefined), ...(after as Complex) };
  }
  const changed = changeSub((before as Complex | undefined) ?? {}, { op, known, sub, value });
  return Object.keys(changed).length === 0 ? undefined : changed;
}

function changeSub(
  before: Complex,
  { op, known, sub, value }: Pick<Operation, "op" | "known" | "value"> & { readonly sub: string },
): Complex {
  const found = findAttribute(known.subAttributes ?? [], sub);
  // Such as `name.middleName` and `emails.display`, which are standard and not kept.
  if (found === undefined) return before;
  const after = op === "remove" ? undefined : readValue(found, value);
  const { [found.name]: _before, ...rest } = before;
  return after === undefined ? rest : { ...rest, [found.name]: after as string | boolean };
}

function changeList(before: readonly Complex[], operation: Operation): readonly Complex[] | undefined {
  const { op, known, path, value } = operation;
  const { filter, sub } = path;
  if (filter === undefined && sub === undefined) {
    const items = (readValue(known, value ?? []) as readonly Complex[] | undefined) ?? [];
    if (op === "replace") return listOrNone(items);
    if (op === "add") return listOrNone(mergeItems(before, items));
    return value === undefined || value === null ? undefined : listOrNone(withoutItems(before, items));
  }
  const isTarget = filter === undefined ? () => true : compileFilter(filter, known);
  if (op === "remove" && sub === undefined) return listOrNone(before.filter((item) => !isTarget(item)));
  const change = (item: Complex): Complex =>
    sub === undefined
      ? { ...item, ...(readValue({ ...known, multiValued: false }, value) as Complex) }
      : changeSub(item, { op, known, sub, value });
  if (before.some(isTarget)) {
    const after = before.map((item) => (isTarget(item) ? change(item) : item));
    return listOrNone(onePrimary(after));
  }
  if (op === "remove") return listOrNone(before);
  // Entra ID adds `emails[type eq "work"].value` to a person without one.
  const named = op === "add" && filter !== undefined ? itemOf(filter, known) : undefined;
  if (named === undefined) throw refused("noTarget", `No value of "${known.name}" is like that.`);
  return onePrimary([...before, change(named)]);
}

function listOrNone(items: readonly Complex[]): readonly Complex[] | undefined {
  return items.length === 0 ? undefined : items;
}

/** By their value: the same address once, as it was sent last. */
function mergeItems(before: readonly Complex[], items: readonly Complex[]): readonly Complex[] {
  const byValue = new Map([...before, ...items].map((item) => [JSON.stringify(item["value"]), item]));
  return onePrimary([...byValue.values()]);
}

function withoutItems(before: readonly Complex[], items: readonly Complex[]): readonly Complex[] {
  const gone = new Set(items.map(({ value }) => value));
  return before.filter(({ value }) => !gone.has(value));
}

/** The new item that `type eq "work"` describes; `undefined` when a filter describes none. */
function itemOf(filter: Filter, known: Attribute): Complex | undefined {
  if (filter.op !== "eq") return undefined;
  const sub = findAttribute(known.subAttributes ?? [], filter.attribute);
  if (sub === undefined || filter.value === null) return undefined;
  return { [sub.name]: readValue(sub, filter.value) as string | boolean };
}

/** Decides which items a filter within a path means. @throws {ScimError} `invalidFilter` */
function compileFilter(filter: Filter, known: Attribute): (item: Complex) => boolean {
  if (filter.op === "and" || filter.op === "or") {
    const parts = filter.filters.map((part) => compileFilter(part, known));
    return filter.op === "and"
      ? (item) => parts.every((isTarget) => isTarget(item))
      : (item) => parts.some((isTarget) => isTarget(item));
  }
  if (filter.op === "not") {
    const isTarget = compileFilter(filter.filter, known);
    return (item) => !isTarget(item);
  }
  const sub =
    filter.op === "eq" || filter.op === "ne" || filter.op === "pr"
      ? findAttribute(known.subAttributes ?? [], filter.attribute)
      : undefined;
  if (sub === undefined) {
    throw refused("invalidFilter", `A path of "${known.name}" has a filter with eq, ne and pr of its parts.`);
  }
  if (!("value" in filter)) return (item) => item[sub.name] !== undefined;
  const wanted = folded(filter.value, sub);
  return (item) => (folded(item[sub.name] ?? null, sub) === wanted) === (filter.op === "eq");
}

function folded(value: string | number | boolean | null, { caseExact }: Attribute): unknown {
  return typeof value === "string" && !caseExact ? value.toLowerCase() : value;
}
