import type { Connector } from "@admin/connectors";
import { Link, screenPath, useSearch } from "../../address/links";
import { formatNumber, useText } from "../../text/text";
import { FilterSelect } from "../../parts/filter-select";
import { Identifier, Status } from "../../parts/identifier";
import { MainAction, Page } from "../../parts/page";
import { ResourceTable } from "../../parts/resource-table";
import { Time } from "../../parts/time";
import { ConnectorViews } from "./connector-views";
import { KindMark } from "./kind-mark";

/** Every connector, how many people use it, and what is wrong. */
export default function ConnectorList() {
  const t = useText();
  const [search, setSearch] = useSearch();
  const enabled = search.get("enabled") ?? undefined;
  const create = <MainAction to="/connectors/new">{t("connectors.create")}</MainAction>;
  return (
    <Page title={t("connectors.title")} lead={t("connectors.lead")} actions={create}>
      <ConnectorViews current="connectors" />
      <ResourceTable<Connector>
        list="/connectors"
        filters={{ enabled }}
        filtered={enabled !== undefined}
        search={t("connectors.search")}
        defaultSort="name"
        rowId={({ key }) => key}
        rowName={({ name }) => name}
        rowTo={({ key }) => screenPath("connectors", key)}
        empty={{ title: t("connectors.empty.title"), text: t("connectors.empty.text"), action: create }}
        toolbar={
          <FilterSelect
            label={t("connectors.anyState")}
            value={enabled ?? null}
            options={[
              { value: "true", label: t("connectors.enabled") },
              { value: "false", label: t("connectors.disabled") },
            ]}
            onChange={(next) => setSearch({ enabled: next })}
          />
        }
        columns={[
          {
            id: "name",
            header: t("connectors.columns.name"),
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
            header: t("connectors.columns.kind"),
            width: "14%",
            secondary: true,
            cell: ({ kind }) => t(`connectors.kinds.${kind}`),
          },
          {
            id: "connected",
            header: t("connectors.columns.connected"),
            align: "end",
            width: "9rem",
            secondary: true,
            cell: ({ connections }) => formatNumber(connections.connected),
          },
          {
            id: "problems",
            header: t("connectors.columns.problems"),
            width: "var(--problem-column)",
            cell: (connector) => <Problems connector={connector} />,
          },
          {
            id: "state",
            header: t("connectors.columns.state"),
            width: "8.5rem",
            secondary: true,
            cell: ({ enabled: on }) => (
              <Status tone={on ? "good" : "neutral"}>
                {on ? t("connectors.enabled") : t("connectors.disabled")}
              </Status>
            ),
          },
          {
            id: "changed",
            header: t("connectors.columns.changed"),
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
  const t = useText();
  const { reconnectRequired, disconnecting } = connector.connections;
  const secretLost = connector.hasClientSecret && !connector.keyReadable;
  const refused = connector.test?.verdict === "refused";
  if (!secretLost && !refused && reconnectRequired + disconnecting === 0)
    return <span className="muted">{t("connectors.problems.none")}</span>;
  return (
    <div className="problem-list">
      {secretLost && (
        <Status tone="bad">
          <span className="wrapping">{t("connectors.problems.secret")}</span>
        </Status>
      )}
      {refused && (
        <Status tone="bad">
          <span className="wrapping">{t("connectors.problems.refused")}</span>
        </Status>
      )}
      {reconnectRequired > 0 && (
        <Status tone="warning">
          <span className="wrapping">{t("connectors.problems.reconnect", { count: reconnectRequired })}</span>
        </Status>
      )}
      {disconnecting > 0 && (
        <Status tone="neutral">
          <span className="wrapping">{t("connectors.problems.disconnecting", { count: disconnecting })}</span>
        </Status>
      )}
    </div>
  );
}
