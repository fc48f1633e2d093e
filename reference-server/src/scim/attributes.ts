import { parsePath } from "./filter.js";
import { isJsonObject } from "@authz/dpop/jws";
import { refused } from "./scim-error.js";

const userSchema = "urn:ietf:params:scim:schemas:core:2.0:User";
const groupSchema = "urn:ietf:params:scim:schemas:core:2.0:Group";
const enterpriseSchema = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

/** An attribute that this server keeps, as `/Schemas` publishes it (RFC 7643 §7). */
export interface Attribute {
  readonly name: string;
  readonly type: "string" | "boolean" | "complex" | "reference";
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  readonly caseExact: boolean;
  readonly mutability: "readWrite" | "readOnly" | "immutable";
  readonly returned: "default" | "always";
  readonly uniqueness: "none" | "server";
  readonly subAttributes?: readonly Attribute[];
}

/** What a request may contain of one kind of resource. */
export interface ResourceSchema {
  readonly urn: string;
  readonly name: "User" | "Group";
  readonly description: string;
  readonly attributes: readonly Attribute[];
  /**
   * Names in lower case of standard attributes that are accepted and not kept: a person's phone number decides nothing here. RFC 7643 has
   * them, and the usual mappings of vendors send them.
   */
  readonly ignored: ReadonlySet<string>;
}

type Part = Partial<Attribute> & Pick<Attribute, "name" | "description">;

function attribute(part: Part): Attribute {
  return {
    type: "string",
    multiValued: false,
    required: false,
    caseExact: false,
    mutability: "readWrite",
    returned: "default",
    uniqueness: "none",
    ...part,
  };
}

const externalId = attribute({
  name: "externalId",
  description: "The identifier of the provider for the resource.",
  caseExact: true,
  uniqueness: "server",
});

/** `id`, `schemas` and `meta` are of every resource, and are never taken from a request. */
const ownAttributes = ["id", "schemas", "meta"] as const;

export const userResource: ResourceSchema = {
  urn: userSchema,
  name: "User",
  description: "A person",
  attributes: [
    attribute({
      name: "userName",
      description: "What the provider calls the person; unique among its people.",
      required: true,
      uniqueness: "server",
    }),
    externalId,
    attribute({
      name: "name",
      type: "complex",
      description: "The person's name.",
      subAttributes: [
        attribute({ name: "formatted", description: "The whole name." }),
        attribute({ name: "familyName", description: "The family name." }),
        attribute({ name: "givenName", description: "The given name." }),
      ],
    }),
    attribute({ name: "displayName", description: "The name that pages show." }),
    attribute({
      name: "active",
      type: "boolean",
      description: "Whether the person may sign in. Setting it to false ends everything that is signed in.",
    }),
    attribute({
      name: "emails",
      type: "complex",
      multiValued: true,
      description: "Email addresses. The primary one, else the first, is the person's address here.",
      subAttributes: [
        attribute({ name: "value", description: "The address." }),
        attribute({ name: "type", description: "Such as work." }),
        attribute({ name: "primary", type: "boolean", description: "At most one is primary." }),
      ],
    }),
  ],
  ignored: new Set(
    "addresses entitlements groups ims locale nickName password phoneNumbers photos preferredLanguage profileUrl roles timezone title userType x509Certificates"
      .toLowerCase()
      .split(" "),
  ),
};

export const groupResource: ResourceSchema = {
  urn: groupSchema,
  name: "Group",
  description: "A group",
  attributes: [
    attribute({
      name: "displayName",
      description:
        "The name by which permissions are given to the group; unique among the provider's groups.",
      required: true,
      uniqueness: "server",
    }),
    externalId,
    attribute({
      name: "members",
      type: "complex",
      multiValued: true,
      description: "The people in the group.",
      subAttributes: [
        attribute({
          name: "value",
          description: "The id of a User.",
          caseExact: true,
          mutability: "immutable",
        }),
        attribute({
          name: "$ref",
          type: "reference",
          description: "The address of the User.",
          caseExact: true,
          mutability: "immutable",
        }),
        attribute({ name: "type", description: "User.", mutability: "immutable" }),
      ],
    }),
  ],
  ignored: new Set(),
};

export type Value = string | boolean | Complex | readonly Complex[];
export type Complex = Readonly<Record<string, string | boolean>>;
/** A resource by the names of its schema; absent: unassigned. */
export type Document = Readonly<Record<string, Value>>;

/** The attribute of this name, in lower case. */
export function findAttribute(attributes: readonly Attribute[], name: string): Attribute | undefined {
  return attributes.find((candidate) => candidate.name.toLowerCase() === name);
}

/** Whether a name is of a standard attribute that is not kept. */
export function isIgnored({ ignored, name: kind }: ResourceSchema, name: string): boolean {
  const urn = enterpriseSchema.toLowerCase();
  return ignored.has(name) || (kind === "User" && (name === urn || name.startsWith(`${urn}:`)));
}

export function isOwn(name: string): boolean {
  return (ownAttributes as readonly string[]).includes(name);
}

/**
 * Reads the resource of a POST or PUT. Names are compared without case. Unknown attributes are ignored, as RFC 7644 §3.3 allows.
 *
 * @throws {ScimError} `invalidSyntax`, `invalidValue`
 */
export function readDocument(body: unknown, resource: ResourceSchema): Document {
  const members = readObject(body);
  requireSchema(members.get("schemas"), resource.urn);
  const document: Record<string, Value> = {};
  for (const known of resource.attributes) {
    const value = readValue(known, members.get(known.name.toLowerCase()));
    if (value !== undefined) document[known.name] = value;
  }
  return document;
}

/** The members of a JSON object by their names in lower case. @throws {ScimError} `invalidSyntax` */
export function readObject(body: unknown): ReadonlyMap<string, unknown> {
  if (!isJsonObject(body)) throw refused("invalidSyntax", "The body has to be a JSON object.");
  const members = new Map(Object.entries(body).map(([name, value]) => [name.toLowerCase(), value]));
  if (members.size !== Object.keys(body).length) {
    throw refused("invalidSyntax", "Two members have the same name; names are compared without case.");
  }
  return members;
}

/** @throws {ScimError} `invalidSyntax` */
export function requireSchema(schemas: unknown, urn: string): void {
  const named = Array.isArray(schemas) ? schemas.map((item) => String(item).toLowerCase()) : [];
  if (!named.includes(urn.toLowerCase())) {
    throw refused("invalidSyntax", `"schemas" has to contain ${urn}.`);
  }
}

/**
 * A value as it is kept; `undefined`: unassigned, as null and an empty list are (RFC 7643 §2.5).
 *
 * Entra ID writes booleans as "True" and "False", and some values as a list of one object.
 *
 * @throws {ScimError} `invalidValue`
 */
export function readValue(known: Attribute, value: unknown): Value | undefined {
  if (value === null || value === undefined) return undefined;
  if (known.multiValued) {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    const read = items.map((item) => readComplex(known, item));
    return read.length === 0 ? undefined : onePrimary(read);
  }
  const single = unwrap(value);
  if (known.type === "complex") return readComplex(known, single);
  if (known.type === "boolean") return readBoolean(known, single);
  return readText(known, single);
}

function unwrap(value: unknown): unknown {
  if (!Array.isArray(value) || value.length !== 1) return value;
  const item: unknown = value[0];
  return isJsonObject(item) && "value" in item ? item["value"] : value;
}

function readComplex(known: Attribute, value: unknown): Complex {
  if (!isJsonObject(value)) throw invalidValue(known, "is an object");
  const members = readObject(value);
  const complex: Record<string, string | boolean> = {};
  for (const sub of known.subAttributes ?? []) {
    const read = readValue(sub, members.get(sub.name.toLowerCase()));
    if (typeof read === "string" || typeof read === "boolean") complex[sub.name] = read;
  }
  return complex;
}

function readBoolean(known: Attribute, value: unknown): boolean {
  if (typeof value === "boolean") return value;
  const text = typeof value === "string" ? value.toLowerCase() : "";
  if (text === "true") return true;
  if (text === "false") return false;
  throw invalidValue(known, "is true or false");
}

const maximumText = 256;

function readText(known: Attribute, value: unknown): string | undefined {
  if (typeof value !== "string") throw invalidValue(known, "is a text");
  if (value.trim() === "") return undefined;
  if (value.length > maximumText) throw invalidValue(known, `has at most ${maximumText} characters`);
  if (/\p{Cc}/u.test(value)) throw invalidValue(known, "has no control characters");
  return value;
}

function invalidValue({ name }: Attribute, rule: string) {
  return refused("invalidValue", `"${name}" ${rule}.`);
}

/** The last one that is called primary (RFC 7644 §3.5.2). */
export function onePrimary(items: readonly Complex[]): readonly Complex[] {
  const last = items.findLastIndex(({ primary }) => primary === true);
  return items.map((item, index) =>
    item["primary"] === true && index !== last ? { ...item, primary: false } : item,
  );
}

/**
 * What `attributes` and `excludedAttributes` leave of a resource (RFC 7644 §3.9): `id` and `schemas` always stay.
 *
 * @throws {ScimError} `invalidValue`: both are there
 */
export function project(
  shown: Readonly<Record<string, unknown>>,
  { attributes, excludedAttributes }: Projection,
  urn: string,
): Readonly<Record<string, unknown>> {
  if (attributes.length > 0)
    return pick(
      shown,
      attributes.map((name) => parsePath(name, urn)),
      true,
    );
  if (excludedAttributes.length > 0) {
    return pick(
      shown,
      excludedAttributes.map((name) => parsePath(name, urn)),
      false,
    );
  }
  return shown;
}

/** Lists of names as they were sent. */
export interface Projection {
  readonly attributes: readonly string[];
  readonly excludedAttributes: readonly string[];
}

type Named = ReturnType<typeof parsePath>;

function pick(shown: Readonly<Record<string, unknown>>, names: readonly Named[], keep: boolean) {
  const entries = Object.entries(shown).flatMap(([name, value]) => {
    if (name === "id" || name === "schemas") return [[name, value] as const];
    const about = names.filter(({ attribute: wanted }) => wanted === name.toLowerCase());
    if (about.length === 0) return keep ? [] : [[name, value] as const];
    const subs = about.flatMap(({ sub }) => sub ?? []);
    if (subs.length < about.length) return keep ? [[name, value] as const] : [];
    return [[name, pickSubs(value, new Set(subs), keep)] as const];
  });
  return Object.fromEntries(entries);
}

function pickSubs(value: unknown, subs: ReadonlySet<string>, keep: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => pickSubs(item, subs, keep));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => subs.has(name.toLowerCase()) === keep));
}
