import { type Skill, SkillError } from "@authz/skills";
import { parse } from "yaml";
import { type ClientRegistration, machineClientSchema, registeredClientSchema } from "../client.js";
import { renderMessage } from "../../text/message.js";
import { textsIn } from "../../text/texts.js";
import { parseOwnSkills, placeOf, skillFault } from "../../skills/own-skills.js";
import { appHostRules } from "../../objects/app-host.js";
import { addFaults, check, type FieldFault, fault } from "../../objects/check.js";
import { connectorDefinition } from "../connector-fields.js";
import { groupProviderRules } from "../../objects/group-provider.js";
import { checkSecretOfProvider, identityProviderRules } from "../../objects/identity-provider.js";
import { changeOf, type RuleOptions } from "../../objects/object.js";
import { scopeRules } from "../../objects/scope.js";
import { agentsRules, resourceRules } from "../../objects/resource.js";
import { RegistryError } from "./registry-error.js";
import { appPolicyFields, settingsFields } from "../settings.js";
import { byKey, email, groupName, key, moment, scopeKey, uniqueList } from "../../objects/fields.js";
import { z } from "zod";
import { isSimilar } from "../../text/similar-names.js";

/** What a registry file says. Sections that are not in the file are not touched. */
export type RegistryFile = z.infer<ReturnType<typeof createSchema>>;

function createSchema(options: RuleOptions) {
  return z.strictObject({
    installation: z.strictObject({ name: settingsFields.installationName }).optional(),
    apps: z.strictObject(appPolicyFields).partial().optional(),
    agents: changeOf(agentsRules).optional(),
    providers: uniqueList(providerSchema(options), { maximum: 100, identify: byKey }),
    groupProviders: uniqueList(groupProviderRules(options).create, { maximum: 100, identify: byKey }),
    scopes: uniqueList(scopeRules, { maximum: 10_000, identify: byKey }),
    resources: uniqueList(resourceSchema(options), { maximum: 1000, identify: byKey }),
    clients: uniqueList(registeredClientSchema, { maximum: 1000, identify: byClientId }),
    machineClients: uniqueList(machineClientSchema, { maximum: 1000, identify: byClientId }),
    appHosts: uniqueList(appHostRules, {
      maximum: 1000,
      identify: ({ host }) => ({ path: ["host"], value: host }),
    }),
    connectors: uniqueList(connectorDefinition(options), { maximum: 100, identify: byKey }),
    skills: z.array(z.unknown()).default([]).transform(toSkills),
    assignments: uniqueList(assignment, { maximum: 100_000, identify: byAssignee }),
  });
}

function providerSchema(options: RuleOptions) {
  const rules = identityProviderRules(options);
  return (
    rules
      // Absent, it stays as it is.
      .extend({ buttonLabel: rules.shape.buttonLabel.unwrap().exactOptional() })
      .superRefine(checkSecretOfProvider)
  );
}

function resourceSchema(options: RuleOptions) {
  const { supportedScopes, owners, ...fields } = resourceRules(options).shape;
  // Absent, the owners stay as they are.
  return z.strictObject({ ...fields, scopes: supportedScopes, owners: owners.unwrap().exactOptional() });
}

const scopes = z.array(scopeKey).max(500);
const assignment = z
  .strictObject({
    email: email.optional(),
    group: z.strictObject({ provider: key, key: groupName }).optional(),
    scopes,
    expiresAt: moment.exactOptional(),
  })
  .transform((item, context): Assigned => {
    const { email: address, group, ...given } = item;
    if (address !== undefined && group === undefined) return { email: address, ...given };
    if (address === undefined && group !== undefined) return { group, ...given };
    addFaults(context, [{ path: [], code: "emailOrGroup" }]);
    return z.NEVER;
  });

/** Scopes for an email address, or for a group of a group provider. */
type Assigned = { readonly scopes: readonly string[]; readonly expiresAt?: Date } & (
  | { readonly email: string }
  | { readonly group: { readonly provider: string; readonly key: string } }
);

function byAssignee(item: Assigned) {
  if ("email" in item) return { path: ["email"], value: item.email };
  return { path: ["group"], value: `${item.group.provider} ${item.group.key}` };
}

function byClientId({ client }: ClientRegistration) {
  return { path: ["id"], value: client.id };
}

/** The same rules as for a catalog that a resource publishes, but for files. */
function toSkills(items: readonly unknown[], context: z.RefinementCtx): readonly Skill[] {
  try {
    return parseOwnSkills(items);
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    addFaults(context, [{ path: placeOf(error), code: "found", values: { text: skillFault(error) } }]);
    return z.NEVER;
  }
}

/**
 * Reads a registry file, YAML or JSON.
 *
 * @throws {RegistryError} Every problem at once, each with its place.
 */
export function parseRegistryFile(content: string, options: RuleOptions): RegistryFile {
  let document: unknown;
  try {
    document = parse(content, { maxAliasCount: 0 });
  } catch (error) {
    throw new RegistryError([`It is neither YAML nor JSON: ${(error as Error).message}`]);
  }
  const schema = createSchema(options);
  const checked = check(schema, document ?? {});
  if (checked.faults === undefined) return checked.value;
  const english = textsIn("en");
  const memberFault = createMemberFault(schema);
  throw new RegistryError(
    checked.faults.map(({ place, message }) => {
      const isUnknown = message.key === "administration.faults.unknownMember";
      const sentence = isUnknown ? memberFault(place).message : message;
      return `${formatPath(place)}: ${renderMessage(sentence, english)}`;
    }),
  );
}

function formatPath(path: readonly PropertyKey[]): string {
  const parts = path.map((part, index) => {
    if (typeof part === "number") return `[${part}]`;
    return index === 0 ? String(part) : `.${String(part)}`;
  });
  return parts.length === 0 ? "file" : parts.join("");
}

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
}

/** Describes an unknown member: the one that was probably meant, or all known ones. */
function createMemberFault(schema: z.ZodType): (place: readonly PropertyKey[]) => FieldFault {
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
