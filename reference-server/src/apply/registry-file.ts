import { parse } from "yaml";
import { z } from "zod";
import { isLoopbackHost } from "../outbound/addresses.js";
import { RegistryError } from "./registry-error.js";

export interface RegistryFileOptions {
  /** Plain HTTP on loopback is allowed: development on one machine. */
  readonly allowInsecureLoopback: boolean;
}

/** What a registry file says. Sections that are not in the file are not touched. */
export type RegistryFile = z.infer<ReturnType<typeof createSchema>>;

const key = z
  .string()
  .max(100)
  .regex(/^[a-z0-9][a-z0-9-]*$/, "must consist of a-z, 0-9 and hyphens");
const scopeKey = z
  .string()
  .max(200)
  .regex(/^[a-z0-9-]+:[a-z0-9-]+$/, 'must be "namespace:permission", such as contracts:read');
const text = z.string().trim().min(1).max(200);
const wireToken = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, "must have no spaces and no quotes");
const email = z
  .email()
  .max(254)
  .transform((address) => address.toLowerCase());
const domain = z
  .string()
  .max(253)
  .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/i, "must be a domain, such as acme.example")
  .transform((name) => name.toLowerCase());

function createSchema({ allowInsecureLoopback }: RegistryFileOptions) {
  const url = z
    .string()
    .max(2000)
    .refine((value) => isAllowedUrl(value, allowInsecureLoopback), {
      message: "must be an https: URL without credentials, query or fragment",
    });
  const origin = url.refine((value) => URL.canParse(value) && new URL(value).origin === value, {
    message: "must be an origin: scheme and host only, no slash at the end",
  });
  const provider = z.strictObject({
    key,
    name: text,
    issuer: url,
    clientId: text,
    clientSecret: z.string().min(1).max(2000),
    scopes: z.array(wireToken).min(1).max(50),
    allowedEmailDomains: z.array(domain).max(100).default([]),
    enabled: z.boolean().default(true),
  });
  const resource = z.strictObject({
    key,
    name: text,
    resource: url,
    authorizationServer: origin,
    clientId: wireToken,
    requestPrefixes: z.array(url).min(1).max(50),
    scopes: z.array(scopeKey).max(500),
    enabled: z.boolean().default(true),
    skillDiscovery: z.boolean().default(false),
  });
  return z.strictObject({
    installation: z.strictObject({ name: text }).optional(),
    providers: uniqueBy(z.array(provider).max(100), "key"),
    scopes: uniqueBy(
      z.array(z.strictObject({ key: scopeKey, description: z.string().trim().min(1).max(500) })),
      "key",
    ),
    resources: uniqueBy(z.array(resource).max(1000), "key"),
    assignments: uniqueBy(z.array(z.strictObject({ email, scopes: z.array(scopeKey).max(500) })), "email"),
  });
}

function uniqueBy<Item extends z.ZodType<Record<Key, string>>, Key extends string>(
  list: z.ZodArray<Item>,
  member: Key,
) {
  return list.default([]).superRefine((items, context) => {
    const seen = new Set<string>();
    for (const [index, item] of items.entries()) {
      const value = item[member];
      if (seen.has(value)) {
        context.addIssue({ code: "custom", path: [index, member], message: `"${value}" appears twice` });
      }
      seen.add(value);
    }
  });
}

function isAllowedUrl(value: string, allowInsecureLoopback: boolean): boolean {
  if (!URL.canParse(value) || value.includes("?") || value.includes("#")) return false;
  const url = new URL(value);
  if (url.username !== "" || url.password !== "") return false;
  return (
    url.protocol === "https:" ||
    (url.protocol === "http:" && allowInsecureLoopback && isLoopbackHost(url.hostname))
  );
}

/**
 * Reads a registry file, YAML or JSON.
 *
 * @throws {RegistryError} Every problem at once, each with its place.
 */
export function parseRegistryFile(content: string, options: RegistryFileOptions): RegistryFile {
  let document: unknown;
  try {
    document = parse(content, { maxAliasCount: 0 });
  } catch (error) {
    throw new RegistryError([`It is neither YAML nor JSON: ${(error as Error).message}`]);
  }
  const result = createSchema(options).safeParse(document ?? {});
  if (result.success) return result.data;
  throw new RegistryError(result.error.issues.map(({ path, message }) => `${formatPath(path)}: ${message}`));
}

function formatPath(path: readonly PropertyKey[]): string {
  const parts = path.map((part, index) => {
    if (typeof part === "number") return `[${part}]`;
    return index === 0 ? String(part) : `.${String(part)}`;
  });
  return parts.length === 0 ? "file" : parts.join("");
}
