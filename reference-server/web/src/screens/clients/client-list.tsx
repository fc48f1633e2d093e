import type { Client } from "@admin/clients";
import { Link, screenPath, useSearch, withQuery } from "../../app/links";
import { formatNumber, useMessages } from "../../messages/language";
import { Identifier, Scopes, Status } from "../../parts/identifier";
import { MainAction, Page } from "../../parts/page";
import { ResourceTable } from "../../parts/resource-table";
import { Time } from "../../parts/time";
import { Views } from "../../parts/views";
import { clientTypes } from "./client-values";
import { messages } from "./messages";

/** Every client, or those of one type. */
export default function ClientList() {
  const t = useMessages(messages);
  const [search] = useSearch();
  const type = search.get("type") ?? undefined;
  const create = <MainAction to={withQuery("/clients/new", { type })}>{t.create}</MainAction>;
  return (
    <Page title={t.title} lead={t.lead} actions={create}>
      <Views
        label={t.views}
        views={[
          { to: "/clients", title: t.all, current: type === undefined },
          ...clientTypes.map((one) => ({
            to: withQuery("/clients", { type: one }),
            title: t.types[one],
            current: type === one,
          })),
        ]}
      />
      <ResourceTable<Client>
        list="/clients"
        filters={{ type }}
        searchLabel={t.plural}
        defaultSort="name"
        rowId={({ id }) => id}
        rowName={({ name }) => name}
        rowTo={({ id }) => screenPath("clients", id)}
        empty={{ ...t.empty, action: create }}
        columns={[
          {
            id: "name",
            header: t.columns.name,
            sort: "name",
            cell: ({ id, name }) => (
              <>
                <Link to={screenPath("clients", id)}>{name}</Link>
                <div className="muted">
                  <Identifier>{id}</Identifier>
                </div>
              </>
            ),
          },
          {
            id: "type",
            header: t.columns.type,
            width: "18%",
            secondary: true,
            cell: (client) => (
              <>
                {t.one[client.type]}
                {client.builtIn && <div className="muted">{t.builtIn}</div>}
                {!client.dpopBound && <div className="muted">{t.bearer}</div>}
              </>
            ),
          },
          {
            id: "may",
            header: t.columns.may,
            width: "24%",
            secondary: true,
            cell: ({ scopes }) => <Scopes keys={scopes} most={3} />,
          },
          {
            id: "devices",
            header: t.columns.devices,
            width: "5.5rem",
            align: "end",
            secondary: true,
            cell: ({ logIns }) => formatNumber(logIns),
          },
          {
            id: "state",
            header: t.columns.state,
            width: "8.5rem",
            cell: ({ enabled }) => (
              <Status tone={enabled ? "good" : "neutral"}>{enabled ? t.enabled : t.disabled}</Status>
            ),
          },
          {
            id: "changed",
            header: t.columns.changed,
            width: "8.5rem",
            secondary: true,
            cell: ({ updatedAt }) => <Time at={updatedAt} />,
          },
        ]}
      />
    </Page>
  );
}
