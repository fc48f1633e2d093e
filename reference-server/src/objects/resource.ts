import { canonicalResource } from "@authz/dpop/jwt";
import { z } from "zod";
import { authorizationDetailsTypes } from "./authorization-details.js";
import { callRules } from "./call-rules.js";
import { issue } from "./check.js";
import * as field from "./fields.js";
import { anyRules, means, type RuleOptions } from "./object.js";

/**
 * What stands before the ids of the installation's own skills, where those of a resource have its key. No resource
 * can have this key: the registry and the database refuse it.
 */
export const ownSkillsKey = "installation";

/** The key of the resource for agents, which every installation has. */
export const agentsKey = "agents";

/** A registered service: what assertions are issued for, and where clients may send requests. */
export function resourceRules({ allowInsecureLoopback, issuer }: RuleOptions) {
  return z.strictObject({
    /** Never changes: it begins the ids of skills. */
    key: field.key
      .refine((value) => value !== ownSkillsKey, issue("reservedKey", { key: ownSkillsKey }))
      .refine((value) => value !== agentsKey, issue("agentsKey", { key: agentsKey })),
    name: field.text,
    resource: means(
      field
        .url(allowInsecureLoopback)
        .overwrite((value) => canonicalResource(value) ?? value)
        .refine((value) => !isAt(issuer, value), issue("ownServer", { issuer })),
      "The resource identifier: `aud` of the service's access tokens",
    ),
    /** `aud` of identity assertions. */
    authorizationServer: means(
      field.origin(allowInsecureLoopback),
      "Who gives out tokens for it: the service itself (its `publicOrigin`), or this server",
    ),
    clientId: means(field.wireToken, "The id of the command-line client at the service"),
    requestPrefixes: means(
      z.array(field.url(allowInsecureLoopback)).min(1).max(50),
      "Where clients may send requests with credentials",
    ),
    /** Lower case. */
    requestHeaders: means(
      field.requestHeaders.default([]),
      "Request headers that agents may send through this server, beside those that any API takes",
    ),
    supportedScopes: z.array(field.scopeKey).max(500),
    enabled: z.boolean().default(true),
    skillDiscovery: z.boolean().default(false),
    allowsBearer: means(
      z.boolean().default(false),
      "Takes Bearer tokens, and identity assertions that are bound to no key",
    ),
    agentCalls: means(
      z.boolean().default(true),
      "Agents reach it through this server, which signs a token for person and app",
    ),
    rules: means(
      callRules.default([]),
      "Which calls of agents are allowed, asked about or refused; the first that matches decides",
    ),
    owners: means(
      field.owners.default([]),
      "Who decides for it: its assignments and access requests, its usage and its part of the audit trail",
    ),
    authorizationDetailsTypes: means(
      authorizationDetailsTypes,
      "The types of calls for which it may ask for a person's approval",
    ),
  });
}

function isAt(issuer: string, value: string): boolean {
  return URL.canParse(value) && new URL(value).origin === new URL(issuer).origin;
}

/** The same for what depends on no rule. */
export const resourceShape = resourceRules(anyRules);

/** What can be changed of the resource for agents: the rest of it is as in every installation. */
export const agentsRules = resourceShape.pick({ name: true, enabled: true, allowsBearer: true });
