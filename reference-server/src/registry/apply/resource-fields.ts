import { z } from "zod";
import { ownSkillsKey } from "../../skills/visible-skills.js";
import { key, origin, scopeKey, text, url, wireToken } from "./registry-fields.js";

export interface ResourceFieldOptions {
  /** Plain HTTP on loopback is allowed: development on one machine. */
  readonly allowInsecureLoopback: boolean;
  /** This server's own origin. Its API is a resource already, and machine tokens for it must not be a service's. */
  readonly issuer: string;
}

/** What is said about a resource, wherever it is registered. */
export function resourceFields({ allowInsecureLoopback, issuer }: ResourceFieldOptions) {
  return {
    key: key.refine((value) => value !== ownSkillsKey, {
      message: `"${ownSkillsKey}" is reserved: the installation's own skills have it before their ids`,
    }),
    name: text,
    resource: url(allowInsecureLoopback).refine((value) => !isAt(issuer, value), {
      message: `must not be below ${issuer}: that is this server itself, not a service`,
    }),
    authorizationServer: origin(allowInsecureLoopback),
    clientId: wireToken,
    requestPrefixes: z.array(url(allowInsecureLoopback)).min(1).max(50),
    supportedScopes: z.array(scopeKey).max(500),
    enabled: z.boolean().default(true),
    skillDiscovery: z.boolean().default(false),
    allowsBearer: z.boolean().default(false),
  };
}

function isAt(issuer: string, value: string): boolean {
  return URL.canParse(value) && new URL(value).origin === new URL(issuer).origin;
}
