import { setTimeout as delay } from "node:timers/promises";
import { isScope } from "@authz/dpop/jwt";
import { quoted } from "@authz/skills/invisible";
import { ReadableError } from "../readable-error.js";

/** What a service says about itself in its own metadata. */
export interface ServiceMetadata {
  /** What clients name as `resource` and tokens as `aud`. */
  readonly resource: string;
  /** Where identity assertions are exchanged: the service itself. */
  readonly authorizationServer: string;
  readonly scopes: readonly string[];
  /** Its name for people, when it has one. */
  readonly name: string | undefined;
  readonly publishesSkills: boolean;
  readonly allowsBearer: boolean;
}

const METADATA_PATH = "/.well-known/oauth-protected-resource";
const TIMEOUT_MILLISECONDS = 5000;
const MAX_BYTES = 65_536;
const TRIES = 3;

/**
 * Fetches the metadata of a service and compares it with where it was found and with the server that shall protect it.
 *
 * @param address - any URL of the service
 * @param issuer - the authorization server of this system
 * @throws {ReadableError} It cannot be fetched, or something in it does not match: what was expected, what came, what to write.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9728#section-3 | RFC 9728 §3}
 */
export async function readService(address: URL, issuer: string): Promise<ServiceMetadata> {
  const url = address.origin + METADATA_PATH;
  const metadata = parseMetadata(await fetchMetadata(url, address), url);
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
  return {
    resource,
    authorizationServer: authorizationServers.find((server) => server !== issuer) ?? address.origin,
    scopes: metadata.scopes,
    name: metadata.name,
    publishesSkills: metadata.publishesSkills,
    allowsBearer: metadata.allowsBearer,
  };
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

async function fetchMetadata(url: string, address: URL): Promise<string> {
  const response = await reach(url, address);
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new ReadableError(
      [
        `${url} answers ${response.status}, so the service does not say what it is.`,
        "The routes of the SDK are missing there. Write once, before everything that asks for authorization:",
        "  authz.registerRoutes(app);",
        "It belongs on the outermost app, not on a router under a prefix.",
      ].join("\n"),
    );
  }
  return readAtMost(response, url);
}

/** A service that was started a moment ago may not listen yet. */
async function reach(url: string, address: URL): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
      return await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS) });
    } catch (error) {
      if (attempt < TRIES) {
        // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
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
    if (text.length > MAX_BYTES) throw new ReadableError(`${url} is larger than ${MAX_BYTES} bytes.`);
  }
  return text;
}

interface ParsedMetadata extends Omit<ServiceMetadata, "authorizationServer"> {
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
