import type { Client } from "@admin/clients";
import type { Resource, ResourceList } from "@admin/resources";
import { useItem } from "../../api/queries";
import { useText } from "../../text/text";
import { Snippet } from "../../parts/copyable";
import { Section } from "../../parts/page";
import { keyFileName } from "./key-file-name";

/** The next step after registering a machine client: a program to paste that calls a service. */
export function FirstCall({ client }: { readonly client: Client }) {
  const t = useText();
  const [scope] = client.scopes;
  const { data } = useItem<ResourceList>("/resources", {
    query: { scope, enabled: true, limit: 1 },
    enabled: scope !== undefined,
  });
  const service = data?.items[0];
  const nothing = scope === undefined || (data !== undefined && service === undefined);
  if (!nothing && service === undefined) return undefined;
  return (
    <Section title={t("clients.firstCall.title")} lead={nothing && t("clients.firstCall.nothing")}>
      {service !== undefined && (
        <>
          <p>{t("clients.firstCall.text", { service: service.name })}</p>
          <Snippet label={t("clients.firstCall.install")}>npm install @authz/client</Snippet>
          <Snippet label={t("clients.firstCall.code", { file: "call.mjs" })}>
            {machineCall({ issuer: location.origin, client, service })}
          </Snippet>
          <Snippet label={t("clients.firstCall.run")}>node call.mjs</Snippet>
        </>
      )}
    </Section>
  );
}

/** A program that calls a service as a machine client; saved as `call.mjs` beside its key, it runs as it is. */
function machineCall({
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
