import type { Client } from "@admin/clients";
import type { ResourceList } from "@admin/resources";
import { useItem } from "../../api/queries";
import { useText } from "../../text/text";
import { Snippet } from "../../parts/snippet";
import { Section } from "../../parts/page";
import { machineCall } from "./machine-call";

/** The next step after a machine client is registered: a program that calls a service, ready to be pasted. */
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
