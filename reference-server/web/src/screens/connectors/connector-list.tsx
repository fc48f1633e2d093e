import type { Connector } from "@admin/connectors";
import { Link, screenPath, useSearch } from "../../app/links";
import { formatNumber, useMessages } from "../../messages/language";
import { FilterSelect } from "../../parts/filter-select";
import { Identifier, Status } from "../../parts/identifier";
import { MainAction, Page } from "../../parts/page";
import { ResourceTable } from "../../parts/resource-table";
import { Time } from "../../parts/time";
import { ConnectorViews } from "./connector-views";
import { KindMark } from "./kind-mark";
import { messages } from "./messages";

/** Every connector, how many people use it, and what is wrong. */
export default function ConnectorList() {
  const t = useMessages(messages);
  const [search, setSearch] = useSearch();
  const enabled = search.get("enabled") ?? undefined;
  const create = <MainAction to="/connectors/new">{t.create}</MainAction>;
  return (
    <Page title={t.title} lead={t.lead} actions={create}>
      <ConnectorViews current="connectors" />
      <ResourceTable<Connector>
        list="/connectors"
        filters={{ enabled }}
        filtered={enabled !== undefined}
        searchLabel={t.plural}
        defaultSort="name"
        rowId={({ key }) => key}
        rowName={({ name }) => name}
        rowTo={({ key }) => screenPath("connectors", key)}
        empty={{ ...t.empty, action: create }}
        toolbar={
          <FilterSelect
            label={t.anyState}
            value={enabled ?? null}
            options={[
              { value: "true", label: t.enabled },
              { value: "false", label: t.disabled },
            ]}
            onChange={(next) => setSearch({ enabled: next })}
          />
        }
        columns={[
          {
            id: "name",
            header: t.columns.name,
            sort: "name",
            cell: ({ key, name, kind }) => (
              <div className="with-mark">
                <KindMark kind={kind} />
                <div>
                  <Link to={screenPath("connectors", key)}>{name}</Link>
                  <div className="muted">
                    <Identifier>{key}</Identifier>
                  </div>
                </div>
              </div>
            ),
          },
          {
            id: "kind",
            header: t.columns.kind,
            width: "14%",
            secondary: true,
            cell: ({ kind }) => t.kinds[kind],
          },
          {
            id: "connected",
            header: t.columns.connected,
            align: "end",
            width: "9rem",
            secondary: true,
            cell: ({ connections }) => formatNumber(connections.connected),
          },
          {
            id: "problems",
            header: t.columns.problems,
            width: "var(--problem-column)",
            cell: (connector) => <Problems connector={connector} />,
          },
          {
            id: "state",
            header: t.columns.state,
            width: "8.5rem",
            secondary: true,
            cell: ({ enabled: on }) => (
              <Status tone={on ? "good" : "neutral"}>{on ? t.enabled : t.disabled}</Status>
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

function Problems({ connector }: { readonly connector: Connector }) {
  const { problems: t } = useMessages(messages);
  const { reconnectRequired, disconnecting } = connector.connections;
  const secretLost = connector.hasClientSecret && !connector.keyReadable;
  if (!secretLost && reconnectRequired + disconnecting === 0) return <span className="muted">{t.none}</span>;
  return (
    <div className="problem-list">
      {secretLost && (
        <Status tone="bad">
          <span className="wrapping">{t.secret}</span>
        </Status>
      )}
      {reconnectRequired > 0 && (
        <Status tone="warning">
          <span className="wrapping">{t.reconnect(formatNumber(reconnectRequired))}</span>
        </Status>
      )}
      {disconnecting > 0 && (
        <Status tone="neutral">
          <span className="wrapping">{t.disconnecting(formatNumber(disconnecting))}</span>
        </Status>
      )}
    </div>
  );
}
