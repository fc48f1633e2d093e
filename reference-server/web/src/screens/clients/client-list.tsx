import type { Client } from "@admin/clients";
import { screenPath, withQuery } from "../../address/links";
import { useText } from "../../text/text";
import { ListFilter, useFilters } from "../../parts/filters";
import { Identifier, Scopes } from "../../parts/identifier";
import { MainAction, Page } from "../../parts/page";
import { countColumn, timeColumn, NameCell } from "../../parts/columns";
import { type Column, ResourceTable } from "../../parts/resource-table";
import { Views } from "../../parts/views";
import { ClientState } from "./client-state";
import { clientTypes } from "./client-values";

const sources = ["registered", "metadata_document", "dynamic_registration"] as const;

/** All clients, or those of one type. */
export default function ClientList() {
  const t = useText();
  const { filters } = useFilters("type", "source");
  const { type, source } = filters;
  const create = (
    <MainAction route="POST /clients" to={withQuery("/clients/new", { type })}>
      {t("clients.create")}
    </MainAction>
  );
  return (
    <Page title={t("clients.title")} lead={t("clients.lead")} actions={create}>
      <Views
        label={t("clients.views")}
        views={[
          ["/clients", t("clients.all")],
          ...clientTypes.map(
            (one) => [withQuery("/clients", { type: one }), t(`clients.types.${one}`)] as const,
          ),
        ]}
      />
      <ResourceTable<Client>
        list="/clients"
        filters={filters}
        filtered={source !== undefined}
        toolbar={
          <ListFilter
            name="source"
            label={t("clients.anySource")}
            options={sources.map((one) => [one, t(`clients.sources.${one}`)])}
          />
        }
        search={t("clients.search")}
        defaultSort="name"
        rowId={({ id }) => id}
        rowName={({ name }) => name}
        rowTo={({ id }) => screenPath("clients", id)}
        empty={{ title: t("clients.empty.title"), text: t("clients.empty.text"), action: create }}
        columns={useColumns()}
      />
    </Page>
  );
}

/** Name, type, permissions, sign-ins and state of each client. */
function useColumns(): readonly Column<Client>[] {
  const t = useText();
  return [
    {
      id: "name",
      header: t("clients.columns.name"),
      sort: "name",
      cell: ({ id, name, host }) => (
        <NameCell to={screenPath("clients", id)} name={name}>
          <Identifier>{host ?? id}</Identifier>
        </NameCell>
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
    countColumn("devices", t("clients.columns.signedIn"), "5.5rem", ({ grants }) => grants),
    {
      id: "state",
      header: t("clients.columns.state"),
      width: "8.5rem",
      cell: (client) => <ClientState client={client} />,
    },
    timeColumn("changed", t("clients.columns.changed"), "8.5rem", ({ updatedAt }) => updatedAt),
  ];
}
