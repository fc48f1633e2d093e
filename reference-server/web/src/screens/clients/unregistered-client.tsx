import type { Client, ClientPatch } from "@admin/clients";
import { Switch } from "@mantine/core";
import { useForget } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { Link, screenPath } from "../../address/links";
import { useText } from "../../text/text";
import { EditForm } from "../../parts/edit-form";
import { Identifier } from "../../parts/identifier";
import { Facts } from "../../parts/page";
import { ExactTime } from "../../parts/time";
import { useEdit } from "../../parts/use-edit";
import { CeilingFields } from "./client-fields";
import { ClientState } from "./client-state";
import { type ClientValues, fromLimits, toLimits } from "./client-values";

type Decisions = Pick<ClientValues, "limited" | "ceiling" | "enabled">;

function toDecisions(client: Client): Decisions {
  return { ...toLimits(client), enabled: client.enabled };
}

/** An unregistered app: its own metadata, and the administrator's decisions. */
export function UnregisteredClient({ client }: { readonly client: Client }) {
  const t = useText();
  const forget = useForget();
  const form = useEdit<Decisions, Client>({
    initial: toDecisions(client),
    version: client.version,
    previews: true,
    send: (values, { version, preview }) => {
      const body: ClientPatch = { ceiling: fromLimits(values), enabled: values.enabled };
      return request(apiPath("clients", client.id), {
        method: "PATCH",
        body,
        version,
        query: { preview: preview || undefined },
      });
    },
    toValues: toDecisions,
    onSaved: () => forget("/clients"),
  });
  return (
    <>
      <Facts
        items={[
          [t("clients.columns.state"), <ClientState key="state" client={client} />],
          [t("clients.source"), t(`clients.sources.${client.source}`)],
          client.host !== null && [
            t("clients.host"),
            <HostLink key="host" host={client.host} trusted={client.trusted} />,
          ],
          [t("clients.fields.redirectUris"), <Addresses key="uris" uris={client.redirectUris} />],
          [
            t("clients.grantTypes"),
            <ul key="grants" className="plain-list">
              {client.grantTypes.map((grantType) => (
                <li key={grantType}>{t(`clients.grants.${grantType}`)}</li>
              ))}
            </ul>,
          ],
          [t("clients.firstSeen"), <ExactTime key="first" at={client.createdAt} />],
        ]}
      />
      <p className="muted">
        {t(`clients.sourceHelp.${client.source === "metadata_document" ? "document" : "itself"}`)}
      </p>
      <EditForm route="PATCH /clients/{id}" form={form} submitLabel={t("parts.save")} labels="clients.fields">
        <CeilingFields form={form} />
        <Switch
          checked={form.values.enabled}
          onChange={(event) => form.set({ enabled: event.currentTarget.checked })}
          label={t("clients.fields.enabled")}
          description={t("clients.fields.enabledHelp")}
        />
      </EditForm>
    </>
  );
}

function HostLink({ host, trusted }: { readonly host: string; readonly trusted: boolean }) {
  const t = useText();
  return (
    <>
      <Identifier>{host}</Identifier>{" "}
      <Link to={trusted ? screenPath("app-hosts", "hosts", host) : "/app-hosts"}>
        {t("clients.decideHost")}
      </Link>
    </>
  );
}

export function Addresses({ uris }: { readonly uris: readonly string[] }) {
  return (
    <ul className="plain-list">
      {uris.map((uri) => (
        <li key={uri}>
          <Identifier>{uri}</Identifier>
        </li>
      ))}
    </ul>
  );
}
