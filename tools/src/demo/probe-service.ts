import { createClient, fileStore, nodeTransport, type TransportRequest } from "@authz/client";
import { originOf, type ServiceKey, type Settings } from "../development/settings.js";
import type { AuthzCommand } from "./authz-command.js";
import type { ServiceResult } from "./result.js";

const scopeColumn = "contracts:read";

/** Asks one service in the four ways that matter, and reports what came back. */
export async function probeService(
  settings: Settings,
  authz: AuthzCommand,
  key: ServiceKey,
): Promise<ServiceResult> {
  const url = `${originOf(settings, key)}/api/contracts`;
  const stranger = await fetch(url);
  await stranger.arrayBuffer();
  const { status: authorized, body } = readAnswer(await authz.run(["request", "--scope", scopeColumn, url]));
  return {
    unauthenticated: stranger.status,
    authorized,
    replayed: await replay(settings, authz, url),
    missing_scope: await writeWithReadPermission(settings, authz, url),
    body,
  };
}

/** Sends a request that was accepted once more, byte for byte, as an eavesdropper would. */
async function replay(settings: Settings, authz: AuthzCommand, url: string): Promise<number> {
  const overheard: TransportRequest[] = [];
  const transport = nodeTransport();
  const client = createClient({
    issuer: originOf(settings, "server"),
    store: fileStore(authz.sessionFile),
    transport: (request) => {
      overheard.push(request);
      return transport(request);
    },
  });
  const first = await client.authorizedRequest({ url, scopes: [scopeColumn] });
  first.discard();
  const accepted = overheard.findLast((request) => request.url === url);
  if (first.status !== 200 || accepted === undefined) {
    throw new Error(`${url} did not accept the request that was to be replayed: ${first.status}`);
  }
  const second = await transport(accepted);
  second.discard();
  return second.status;
}

/** Tries to create a contract with a token that only allows reading. */
async function writeWithReadPermission(
  settings: Settings,
  authz: AuthzCommand,
  url: string,
): Promise<number> {
  const client = createClient({ issuer: originOf(settings, "server"), store: fileStore(authz.sessionFile) });
  const answer = await client.authorizedRequest({
    url,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ customer: "Acme" }),
    scopes: [scopeColumn],
  });
  answer.discard();
  return answer.status;
}

function readAnswer(document: unknown): { status: number; body: unknown } {
  if (typeof document !== "object" || document === null || !("status" in document) || !("body" in document)) {
    throw new Error("authz request --json printed something unexpected.");
  }
  return { status: Number(document.status), body: document.body };
}
