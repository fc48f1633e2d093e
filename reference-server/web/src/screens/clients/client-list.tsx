import type { Client } from "@admin/clients";
import { Link, screenPath, useSearch, withQuery } from "../../address/links";
import { formatNumber, useText } from "../../text/text";
import { FilterSelect } from "../../parts/filter-select";
import { Identifier, Scopes } from "../../parts/identifier";
import { MainAction, Page } from "../../parts/page";
import { ResourceTable } from "../../parts/resource-table";
import { Time } from "../../parts/time";
import { Views } from "../../parts/views";
import { ClientState } from "./client-state";
import { clientTypes } from "./client-values";

const sources = ["registered", "metadata_document", "dynamic_registration"] as const;

/** Every client, or those of one type. */
export default function ClientList() {
  const t = useText();
  const [search, setSearch] = useSearch();
  const type = search.get("type") ?? undefined;
  const source = search.get("source") ?? undefined;
  const create = <MainAction to={withQuery("/clients/new", { type })}>{t("clients.create")}</MainAction>;
  return (
    <Page title={t("clients.title")} lead={t("clients.lead")} actions={create}>
      <Views
        label={t("clients.views")}
        views={[
          { to: "/clients", title: t("clients.all"), current: type === undefined },
          ...clientTypes.map((one) => ({
            to: withQuery("/clients", { type: one }),
            title: t(`clients.types.${one}`),
            current: type === one,
          })),
        ]}
      />
      <ResourceTable<Client>
        list="/clients"
        filters={{ type, source }}
        filtered={source !== undefined}
        toolbar={
          <FilterSelect
            label={t("clients.anySource")}
            value={source ?? null}
            options={sources.map((one) => ({ value: one, label: t(`clients.sources.${one}`) }))}
            onChange={(next) => setSearch({ source: next })}
          />
        }
        search={t("clients.search")}
        defaultSort="name"
        rowId={({ id }) => id}
        rowName={({ name }) => name}
        rowTo={({ id }) => screenPath("clients", id)}
        empty={{ title: t("clients.empty.title"), text: t("clients.empty.text"), action: create }}
        columns={[
          {
            id: "name",
            header: t("clients.columns.name"),
            sort: "name",
            cell: ({ id, name, host }) => (
              <>
                <Link to={screenPath("clients", id)}>{name}</Link>
                <div className="muted">
                  <Identifier>{host ?? id}</Identifier>
                </div>
              </>
            ),
          },
          {
            id: "type",
            header: t("clients.columns.type"),
            width: "18%",
            secondary: true,
            cell: (client) => (
              <>
                {t(`clients.one.${client.type}`)}
                {client.builtIn && <div className="muted">{t("clients.builtIn")}</div>}
                {client.source !== "registered" && (
                  <div className="muted">{t(`clients.sources.${client.source}`)}</div>
                )}
                {client.source === "registered" && !client.dpopBound && (
                  <div className="muted">{t("clients.bearer")}</div>
                )}
              </>
            ),
          },
          {
            id: "may",
            header: t("clients.columns.may"),
            width: "24%",
            secondary: true,
            cell: ({ type: kind, scopes, ceiling }) =>
              kind === "machine" ? (
                <Scopes keys={scopes} most={3} />
              ) : ceiling === null ? (
                <span className="muted">{t("clients.likePerson")}</span>
              ) : (
                <>
                  <div className="muted">{t("clients.atMost", { count: ceiling.length })}</div>
                  <Scopes keys={ceiling} most={3} />
                </>
              ),
          },
          {
            id: "devices",
            header: t("clients.columns.signedIn"),
            width: "5.5rem",
            align: "end",
            secondary: true,
            cell: ({ grants }) => formatNumber(grants),
          },
          {
            id: "state",
            header: t("clients.columns.state"),
            width: "8.5rem",
            cell: (client) => <ClientState client={client} />,
          },
          {
            id: "changed",
            header: t("clients.columns.changed"),
            width: "8.5rem",
            secondary: true,
            cell: ({ updatedAt }) => <Time at={updatedAt} />,
          },
        ]}
      />
    </Page>
  );
}
