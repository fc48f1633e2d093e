import { z } from "zod";
import * as field from "./fields.js";
import { anyRules, means, type RuleOptions } from "./object.js";

/** Longest age of an event that is acted upon, unless the stream says otherwise. */
const usualMaxAgeSeconds = 7 * 24 * 3600;

/** A stream of security events from an identity provider (OpenID Shared Signals Framework 1.0). */
export function signalStreamRules({ allowInsecureLoopback }: Pick<RuleOptions, "allowInsecureLoopback">) {
  return z.strictObject({
    key: field.key,
    name: field.text,
    provider: means(field.key, "The key of the identity provider whose accounts the events are about"),
    transmitter: means(field.url(allowInsecureLoopback), "The issuer of the events"),
    delivery: means(z.enum(["push", "poll"]).default("push"), "push: RFC 8935; poll: RFC 8936"),
    streamId: means(
      field.text.nullable().default(null),
      "What the transmitter calls the stream; null in a request: the stream is created there",
    ),
    audience: means(
      field.text.nullable().default(null),
      "The aud of the events; null in a request: what the transmitter says",
    ),
    token: field.secret
      .optional()
      .describe("Write-only. For the transmitter's management API, and for polling"),
    opaqueSubjects: means(
      z.enum(["ignored", "sub"]).default("ignored"),
      "What an opaque subject identifier is. sub: that of the account at the identity provider",
    ),
    maxAgeSeconds: means(
      z
        .int()
        .min(300)
        .max(30 * 24 * 3600)
        .default(usualMaxAgeSeconds),
      "Older events are acknowledged and not acted upon",
    ),
    enabled: z.boolean().default(true),
  });
}

/** The same for what depends on no rule. */
export const signalStreamShape = signalStreamRules(anyRules);
