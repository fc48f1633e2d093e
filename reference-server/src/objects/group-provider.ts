import { z } from "zod";
import { issue } from "./check.js";
import * as field from "./fields.js";
import type { RuleOptions } from "./object.js";

/** Where groups come from: the claim of an identity provider or its SCIM, or a directory that is asked over HTTP. */
export function groupProviderRules({ allowInsecureLoopback }: Pick<RuleOptions, "allowInsecureLoopback">) {
  const named = { key: field.key, name: field.text, enabled: z.boolean().default(true) };
  const directory = z.strictObject({
    type: z.literal("directory"),
    ...named,
    url: field.url(allowInsecureLoopback),
    secret: field.secret.regex(/^[\x21-\x7e]+$/, issue("headerText").message),
  });
  const claim = z.strictObject({ type: z.literal("claim"), ...named, provider: field.key });
  const scim = z.strictObject({ type: z.literal("scim"), ...named, provider: field.key });
  const writeOnly = directory.extend({ secret: directory.shape.secret.describe("Write-only") });
  return { directory, create: z.discriminatedUnion("type", [claim, scim, writeOnly]) };
}
