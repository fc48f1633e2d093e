import { JsonFields } from "../transport/json-fields.js";
import type { JsonObject } from "../transport/read-json.js";

/** Who is signed in, as the authorization server sees it. */
export interface Me {
  subject: string;
  email: string | undefined;
  name: string | undefined;
  installation: { name: string };
}

/** A registered service that the signed-in person may use. */
export interface Resource {
  key: string;
  name: string;
  /** The resource identifier (RFC 8707). */
  resource: string;
  /** The issuer of the service's access tokens. */
  authorizationServer: string;
  clientId: string;
  /** Absolute addresses; credentials go nowhere else. */
  requestPrefixes: readonly string[];
  supportedScopes: readonly string[];
  grantedScopes: readonly string[];
  /** Supported ones that nobody can decide over now: a group may give them, and its directory does not answer. */
  undecidedScopes: readonly string[];
}

/** One entry of the list of skills. */
export interface SkillSummary {
  id: string;
  title: string;
  description: string | undefined;
  tags: readonly string[];
  requiredScopes: readonly string[];
  /** Whether the signed-in person has all scopes it needs. */
  allowed: boolean;
  /** Key of the service that published it. */
  resource: string;
}

/** A skill with its instruction text (Markdown). */
export interface Skill extends SkillSummary {
  content: string;
}

/** A rule that gives a permission, or would: to the person's address, or to a group that a provider knows. */
export type PermissionRule =
  | { readonly type: "email"; readonly email: string }
  | { readonly type: "group"; readonly group: string; readonly provider: string };

/** Why the signed-in person may or may not do something at a service. */
export interface PermissionExplanation {
  allowed: boolean;
  granted: readonly { scope: string; by: readonly PermissionRule[] }[];
  missing: readonly {
    scope: string;
    /** `not_assigned`, `not_supported`, `directory_unavailable`, … */
    reason: string;
    wouldBeGrantedBy: readonly PermissionRule[];
  }[];
  /** Some of those who can give what is missing. */
  administrators: {
    people: readonly { email: string; name: string | undefined }[];
    groups: readonly { group: string; provider: string }[];
  };
}

export function parseMe(body: JsonObject, from: string): Me {
  const fields = new JsonFields(body, from);
  return {
    subject: fields.text("subject"),
    email: fields.optionalText("email"),
    name: fields.optionalText("name"),
    installation: { name: fields.object("installation").text("name") },
  };
}

export function parseResources(body: JsonObject, from: string): readonly Resource[] {
  return new JsonFields(body, from).objects("items").map((fields) => ({
    key: fields.key("key"),
    name: fields.text("name"),
    resource: fields.text("resource"),
    authorizationServer: fields.endpoint("authorizationServer"),
    clientId: fields.text("clientId"),
    requestPrefixes: fields.texts("requestPrefixes"),
    supportedScopes: fields.scopes("supportedScopes"),
    grantedScopes: fields.scopes("grantedScopes"),
    undecidedScopes: fields.optionalScopes("undecidedScopes"),
  }));
}

export function parseSkillSummaries(body: JsonObject, from: string): readonly SkillSummary[] {
  return new JsonFields(body, from).objects("items").map(skillSummary);
}

export function parseSkill(body: JsonObject, from: string): Skill {
  const fields = new JsonFields(body, from);
  return { ...skillSummary(fields), content: fields.text("content", 1024 * 1024) };
}

function skillSummary(fields: JsonFields): SkillSummary {
  return {
    id: fields.key("id"),
    title: fields.text("title"),
    description: fields.optionalText("description"),
    tags: fields.optionalTexts("tags"),
    requiredScopes: fields.scopes("requiredScopes"),
    allowed: fields.flag("allowed"),
    resource: fields.key("resource"),
  };
}

export function parseExplanation(body: JsonObject, from: string): PermissionExplanation {
  const fields = new JsonFields(body, from);
  const administrators = fields.object("administrators");
  return {
    allowed: fields.flag("allowed"),
    granted: fields.objects("granted").map((granted) => ({
      scope: granted.scope("scope"),
      by: granted.objects("by").map(permissionRule),
    })),
    missing: fields.objects("missing").map((missing) => ({
      scope: missing.scope("scope"),
      reason: missing.text("reason"),
      wouldBeGrantedBy: missing.objects("wouldBeGrantedBy").map(permissionRule),
    })),
    administrators: {
      people: administrators
        .objects("people")
        .map((person) => ({ email: person.text("email"), name: person.optionalText("name") })),
      groups: administrators.objects("groups").map(namedGroup),
    },
  };
}

function permissionRule(fields: JsonFields): PermissionRule {
  return fields.oneOf("type", ["email", "group"]) === "email"
    ? { type: "email", email: fields.text("email") }
    : { type: "group", ...namedGroup(fields) };
}

function namedGroup(fields: JsonFields): { group: string; provider: string } {
  return { group: fields.text("group"), provider: fields.text("provider") };
}
