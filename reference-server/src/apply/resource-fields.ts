import { z } from "zod";
import { ownSkillsKey } from "../skills/visible-skills.js";
import { key, origin, scopeKey, text, url, wireToken } from "./registry-fields.js";

/** What is said about a resource, wherever it is registered. */
export function resourceFields(allowInsecureLoopback: boolean) {
  return {
    key: key.refine((value) => value !== ownSkillsKey, {
      message: `"${ownSkillsKey}" is reserved: the installation's own skills have it before their ids`,
    }),
    name: text,
    resource: url(allowInsecureLoopback),
    authorizationServer: origin(allowInsecureLoopback),
    clientId: wireToken,
    requestPrefixes: z.array(url(allowInsecureLoopback)).min(1).max(50),
    supportedScopes: z.array(scopeKey).max(500),
    enabled: z.boolean().default(true),
    skillDiscovery: z.boolean().default(false),
    allowsBearer: z.boolean().default(false),
  };
}
