import { setTimeout as delay } from "node:timers/promises";
import { isScope } from "@authz/dpop/jwt";
import { quoted } from "@authz/skills/invisible";
import { ReadableError } from "../readable-error.js";

/** What a service says about itself in its own metadata. */
export interface ServiceMetadata {
  /** What clients name as `resource` and tokens as `aud`. */
  readonly resource: string;
  /** Where identity assertions are exchanged: the service itself, or the server when the service takes only its tokens. */
  readonly authorizationServer: string;
  readonly scopes: readonly string[];
  /** Its name for people, when it has one. */
  readonly name: string | undefined;
  readonly publishesSkills: boolean;
  readonly allowsBearer: boolean;
  /** The beginning of its addresses that a proxy in front of it removes. */
  readonly strippedPrefix: string | undefined;
}

const metadataPath = "/.well-known/oauth-protected-resource";
const timeoutMilliseconds = 5000;
const maxBytes = 65_536;
const tries = 3;
/** How deep a removed prefix is looked for: each level is a request. */
const maxLevels = 5;

/**
 * Fetches the metadata of a service and compares it with where it was found and with the server that shall protect it.
 *
 * @param address - any URL of the service
 * @param issuer - the authorization server of this system
 * @throws {ReadableError} It cannot be fetched, or something in it does not match: what was expected, what came, what to write.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9728#section-3 | RFC 9728 §3}
 */
export async function readService(address: URL, issuer: string): Promise<ServiceMetadata> {
  const { url, text } = await fetchMetadata(address);
  const metadata = parseMetadata(text, url);
  const { resource, authorizationServers } = metadata;
  if (new URL(resource).origin !== address.origin) {
    throw mismatch("publicOrigin", {
      expected: `"${address.origin}"`,
      received: `"${new URL(resource).origin}"`,
      remedy: `publicOrigin: "${address.origin}",`,
      otherwise: `Or register it under the other address: npx @authz/dev register ${new URL(resource).origin}`,
    });
  }
  if (authorizationServers[0] !== issuer) {
    throw mismatch("issuer", {
      expected: `"${issuer}"`,
      received: authorizationServers[0] === undefined ? "none" : `"${authorizationServers[0]}"`,
      remedy: `initAuthz("${issuer}", { … })`,
      otherwise: "Then start the service again and repeat this command.",
    });
  }
  const strippedPrefix = await findStrippedPrefix(address, resource);
  if (address.pathname !== "/" && !isBelow(address, resource))
    throw outside(address, resource, strippedPrefix);
  return {
    resource,
    authorizationServer: authorizationServers.find((server) => server !== issuer) ?? issuer,
    scopes: metadata.scopes,
    name: metadata.name,
    publishesSkills: metadata.publishesSkills,
    allowsBearer: metadata.allowsBearer,
    strippedPrefix,
  };
}

function isBelow({ pathname }: URL, resource: string): boolean {
  const base = new URL(resource).pathname.replace(/\/$/, "");
  return pathname === base || pathname.startsWith(`${base}/`);
}

function outside(address: URL, resource: string, strippedPrefix: string | undefined): ReadableError {
  const cause =
    strippedPrefix === undefined
      ? []
      : [`A proxy in front of it removes ${strippedPrefix}. Let it pass the whole path on.`];
  return new ReadableError(
    [
      `The service protects ${resource}, and ${address.href} is not below that.`,
      ...cause,
      `Write in the service:  resource: "${address.origin}${address.pathname}", or a URL above it.`,
      `Or register what it protects: npx @authz/dev register ${resource}`,
    ].join("\n"),
  );
}

/**
 * Where the metadata of the whole origin is also served below a path, something on the way removes that path. Proofs name the address
 * that callers see, so the service must be given it too.
 */
async function findStrippedPrefix(address: URL, resource: string): Promise<string | undefined> {
  const prefixes = [address.pathname, new URL(resource).pathname].flatMap((path) => {
    const names = path.split("/").filter((name) => name !== "");
    return names.slice(0, maxLevels).map((_, index) => `/${names.slice(0, index + 1).join("/")}`);
  });
  const found = await Promise.all(
    prefixes.map(async (prefix) => await readResource(address.origin + prefix + metadataPath, address)),
  );
  return prefixes.find((_, index) => found[index] === resource);
}

/** The resource that a document names; undefined where something else answers. */
async function readResource(url: string, address: URL): Promise<unknown> {
  try {
    const text = await readAtMost(await reach(url, address), url);
    return (Object(JSON.parse(text)) as { resource?: unknown }).resource;
  } catch {
    return undefined;
  }
}

function mismatch(
  what: string,
  {
    expected,
    received,
    remedy,
    otherwise,
  }: {
    readonly expected: string;
    readonly received: string;
    readonly remedy: string;
    readonly otherwise: string;
  },
): ReadableError {
  return new ReadableError(
    [
      `The service reports a different ${what}.`,
      `  expected  ${expected}`,
      `  received  ${received}`,
      `Write in the service:  ${remedy}`,
      otherwise,
    ].join("\n"),
  );
}

/** Of the whole origin; without that, of the address itself (RFC 9728 §3.1), as services without the SDK serve it. */
async function fetchMetadata(address: URL): Promise<{ readonly url: string; readonly text: string }> {
  const whole = address.origin + metadataPath;
  const urls = address.pathname === "/" ? [whole] : [whole, whole + address.pathname];
  let status: number | undefined;
  for (const url of urls) {
    const response = await reach(url, address);
    if (response.status === 200) return { url, text: await readAtMost(response, url) };
    status ??= response.status;
    await response.body?.cancel();
  }
  throw new ReadableError(
    [
      `${whole} answers ${status}, so the service does not say what it is.`,
      "The routes of the SDK are missing there. Write once, before everything that asks for authorization:",
      "  authz.registerRoutes(app);",
      "It belongs on the outermost app, not on a router under a prefix.",
      "A service without the SDK serves this document itself: resource, authorization_servers and scopes_supported (RFC 9728).",
    ].join("\n"),
  );
}

/** A service that was started a moment ago may not listen yet. */
async function reach(url: string, address: URL): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(timeoutMilliseconds) });
    } catch (error) {
      if (attempt < tries) {
        await delay(500);
        continue;
      }
      throw new ReadableError(
        `Nothing answers at ${address.origin}.\nStart the service, then repeat this command.`,
        { cause: error },
      );
    }
  }
}

async function readAtMost(response: Response, url: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > maxBytes) throw new ReadableError(`${url} is larger than ${maxBytes} bytes.`);
  }
  return text;
}

interface ParsedMetadata extends Omit<ServiceMetadata, "authorizationServer" | "strippedPrefix"> {
  readonly authorizationServers: readonly string[];
}

function parseMetadata(text: string, url: string): ParsedMetadata {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ReadableError(`${url} is not JSON.\nSomething other than the SDK answers there.`);
  }
  const document = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const { resource, resource_name: name } = document;
  if (typeof resource !== "string" || !URL.canParse(resource)) {
    throw new ReadableError(`${url} has no "resource" that is a URL.\nIt is what tokens are issued for.`);
  }
  const scopes = strings(document["scopes_supported"]);
  const strange = scopes.find((scope) => !isScope(scope));
  if (strange !== undefined) {
    throw new ReadableError(
      `${url} names ${quoted(strange, 80)} in "scopes_supported".\nA scope is namespace:permission, such as contracts:read.`,
    );
  }
  if (scopes.length === 0) {
    throw new ReadableError(
      `${url} has no "scopes_supported".\nName what can be asked for: supportedScopes: ["contracts:read"]`,
    );
  }
  return {
    resource,
    authorizationServers: strings(document["authorization_servers"]),
    scopes,
    name: typeof name === "string" && name !== "" ? name : undefined,
    publishesSkills: typeof document["skills_endpoint"] === "string",
    allowsBearer: document["dpop_bound_access_tokens_required"] !== true,
  };
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}
