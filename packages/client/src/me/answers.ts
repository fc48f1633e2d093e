import { AnswerFields } from "../answer-fields.js";
import type { JsonObject } from "../transport/read-answer.js";

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

export function parseMe(body: JsonObject, from: string): Me {
  const fields = new AnswerFields(body, from);
  return {
    subject: fields.text("subject"),
    email: fields.optionalText("email"),
    name: fields.optionalText("name"),
    installation: { name: fields.object("installation").text("name") },
  };
}

export function parseResources(body: JsonObject, from: string): readonly Resource[] {
  return new AnswerFields(body, from).objects("items").map((fields) => ({
    key: fields.text("key"),
    name: fields.text("name"),
    resource: fields.text("resource"),
    authorizationServer: fields.endpoint("authorizationServer"),
    clientId: fields.text("clientId"),
    requestPrefixes: fields.texts("requestPrefixes"),
    supportedScopes: fields.texts("supportedScopes"),
    grantedScopes: fields.texts("grantedScopes"),
  }));
}

export function parseSkillSummaries(body: JsonObject, from: string): readonly SkillSummary[] {
  return new AnswerFields(body, from).objects("items").map(skillSummary);
}

export function parseSkill(body: JsonObject, from: string): Skill {
  const fields = new AnswerFields(body, from);
  return { ...skillSummary(fields), content: fields.text("content", 1024 * 1024) };
}

function skillSummary(fields: AnswerFields): SkillSummary {
  return {
    id: fields.text("id"),
    title: fields.text("title"),
    description: fields.optionalText("description"),
    tags: fields.optionalTexts("tags"),
    requiredScopes: fields.texts("requiredScopes"),
    allowed: fields.flag("allowed"),
    resource: fields.text("resource"),
  };
}
