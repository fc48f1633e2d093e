import type { Client } from "@admin/clients";
import type { Resource } from "@admin/resources";
import { keyFileName } from "./key-file-name";

/** A program that calls a service as a machine client; saved as `call.mjs` beside its key, it runs as it is. */
export function machineCall({
  issuer,
  client,
  service,
}: {
  readonly issuer: string;
  readonly client: Pick<Client, "id" | "keys" | "scopes">;
  readonly service: Pick<Resource, "resource" | "requestPrefixes" | "supportedScopes">;
}): string {
  const { resource, requestPrefixes, supportedScopes } = service;
  const [key] = client.keys;
  const kid = typeof key?.["kid"] === "string" ? key["kid"] : "";
  const scopes = client.scopes.filter((scope) => supportedScopes.includes(scope));
  const text = (value: unknown) => JSON.stringify(value);
  return `import { readFileSync } from "node:fs";
import { createMachineClient } from "@authz/client";

const machine = createMachineClient({
  issuer: ${text(issuer)},
  clientId: ${text(client.id)},
  signingKey: JSON.parse(readFileSync(${text(keyFileName(kid))}, "utf8")), // { kid, privateJwk }
  resources: [{ resource: ${text(resource)}, requestPrefixes: ${text(requestPrefixes)} }],
});

const answer = await machine.authorizedFetch(${text(requestPrefixes[0] ?? resource)}, {}, { scopes: ${text(scopes)} });
console.log(answer.status, await answer.text());
`;
}
