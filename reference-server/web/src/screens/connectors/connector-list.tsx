import type { Connector } from "@admin/connectors";
import { screenPath } from "../../address/links";
import { useText } from "../../text/text";
import { ListFilter, useFilters } from "../../parts/filters";
import { Identifier, Status } from "../../parts/identifier";
import { MainAction, Page } from "../../parts/page";
import { countColumn, timeColumn, NameCell } from "../../parts/columns";
import { ResourceTable } from "../../parts/resource-table";
import { ConnectorViews } from "./connector-views";
import { KindMark } from "./kind-mark";

/** All connectors, with their users and problems. */
export default function ConnectorList() {
  const t = useText();
  const { filters, filtered } = useFilters("enabled");
  const create = (
    <MainAction route="POST /connectors" to="/connectors/new">
      {t("connectors.create")}
    </MainAction>
  );
  return (
    <Page title={t("connectors.title")} lead={t("connectors.lead")} actions={create}>
      <ConnectorViews />
      <ResourceTable<Connector>
        list="/connectors"
        filters={filters}
        filtered={filtered}
        search={t("connectors.search")}
        defaultSort="name"
        rowId={({ key }) => key}
        rowName={({ name }) => name}
        rowTo={({ key }) => screenPath("connectors", key)}
        empty={{ title: t("connectors.empty.title"), text: t("connectors.empty.text"), action: create }}
        toolbar={
          <ListFilter
            name="enabled"
            label={t("connectors.anyState")}
            options={[
              ["true", t("connectors.enabled")],
              ["false", t("connectors.disabled")],
            ]}
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
                  <NameCell to={screenPath("connectors", key)} name={name}>
                    <Identifier>{key}</Identifier>
                  </NameCell>
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
          countColumn(
            "connected",
            t("connectors.columns.connected"),
            "9rem",
            ({ connections }) => connections.connected,
          ),
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
          timeColumn("changed", t("connectors.columns.changed"), "8.5rem", ({ updatedAt }) => updatedAt),
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
        <Status tone="bad" wraps>
          {t("connectors.problems.secret")}
        </Status>
      )}
      {refused && (
        <Status tone="bad" wraps>
          {t("connectors.problems.refused")}
        </Status>
      )}
      {reconnectRequired > 0 && (
        <Status tone="warning" wraps>
          {t("connectors.problems.reconnect", { count: reconnectRequired })}
        </Status>
      )}
      {disconnecting > 0 && (
        <Status tone="neutral" wraps>
          {t("connectors.problems.disconnecting", { count: disconnecting })}
        </Status>
      )}
    </div>
  );
}
