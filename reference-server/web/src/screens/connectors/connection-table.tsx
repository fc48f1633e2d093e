import type { Connection } from "@admin/connections";
import type { Connector } from "@admin/connectors";
import { useState } from "react";
import { screenPath } from "../../address/links";
import { useText } from "../../text/text";
import { ListFilter, useFilters } from "../../parts/filters";
import { Breakable } from "../../parts/identifier";
import { timeColumn, NameCell } from "../../parts/columns";
import { type Column, ResourceTable } from "../../parts/resource-table";
import { PersonCell, personName } from "../../parts/person";
import { PersonChip } from "../sessions/person-chip";
import { Page } from "../../parts/page";
import { ConnectorViews } from "./connector-views";
import { ConnectionState } from "./connection-state";
import { Disconnect, DisconnectButton } from "./disconnect";
import { useConnectors } from "./use-connectors";

const states = ["connected", "reconnect_required", "disconnecting"] as const;

/** All connected accounts. */
export default function ConnectionList() {
  const t = useText();
  return (
    <Page title={t("connectors.title")} lead={t("connections.lead")}>
      <ConnectorViews />
      <ConnectionTable />
    </Page>
  );
}

/** Connections: those of one connector, or all of them with the connector in a column. */
export function ConnectionTable({ connector: fixed }: { readonly connector?: Connector }) {
  const t = useText();
  const [ending, setEnding] = useState<Connection>();
  const connectors = useConnectors();
  const nameOf = (key: string) => connectors.get(key)?.name ?? key;
  const { filters } = useFilters("connector", "user", "state");
  const connector = fixed?.key ?? filters.connector;
  const columns = useColumns({ nameOf, onDisconnect: setEnding, isOfOne: fixed !== undefined });
  return (
    <>
      <ResourceTable<Connection>
        list="/connections"
        filters={{ ...filters, connector }}
        filtered={
          filters.state !== undefined ||
          filters.user !== undefined ||
          (fixed === undefined && connector !== undefined)
        }
        search={t("connections.search")}
        defaultSort="-connectedAt"
        rowId={({ id }) => id}
        rowName={(connection) => personName(connection.user)}
        rowTo={(connection) => screenPath("users", connection.user.id)}
        empty={{ title: t("connections.empty.title"), text: t("connections.empty.text") }}
        toolbar={
          <>
            {fixed === undefined && (connector !== undefined || connectors.size > 1) && (
              <ListFilter
                name="connector"
                label={t("connections.anyConnector")}
                options={[...connectors.values()].map(({ key, name }) => [key, name])}
              />
            )}
            <ListFilter
              name="state"
              label={t("connections.anyState")}
              options={states.map((value) => [value, t(`connections.states.${value}`)])}
            />
            <PersonChip />
          </>
        }
        columns={columns}
      />
      {ending !== undefined && (
        <Disconnect
          connection={ending}
          connector={nameOf(ending.connector)}
          onClose={() => setEnding(undefined)}
        />
      )}
    </>
  );
}

function useColumns(options: {
  readonly nameOf: (connector: string) => string;
  readonly onDisconnect: (connection: Connection) => void;
  /** All connections are of one connector, which the page names. */
  readonly isOfOne: boolean;
}): readonly Column<Connection>[] {
  const { nameOf, onDisconnect, isOfOne } = options;
  const t = useText();
  const account: Column<Connection> = isOfOne
    ? {
        id: "account",
        header: t("connections.columns.account"),
        width: "20%",
        secondary: true,
        cell: (connection) => <AccountName of={connection} />,
      }
    : {
        id: "connector",
        header: t("connections.columns.connector"),
        width: "var(--connection-column)",
        cell: (connection) => (
          <NameCell to={screenPath("connectors", connection.connector)} name={nameOf(connection.connector)}>
            <AccountName of={connection} />
          </NameCell>
        ),
      };
  return [
    {
      id: "person",
      header: t("connections.columns.person"),
      cell: (connection) => <PersonCell person={connection.user} />,
    },
    account,
    {
      id: "state",
      header: t("connections.columns.state"),
      width: "var(--connection-column)",
      cell: (connection) => <ConnectionState connection={connection} />,
    },
    timeColumn(
      "connected",
      t("connections.columns.connected"),
      "8rem",
      (one) => one.connectedAt,
      "connectedAt",
    ),
    timeColumn("used", t("connections.columns.used"), "8rem", (one) => one.lastUsedAt),
    {
      id: "actions",
      header: t("connections.disconnect"),
      quiet: true,
      align: "end",
      width: "7.8rem",
      secondary: true,
      cell: (connection) => <DisconnectButton connection={connection} onDisconnect={onDisconnect} />,
    },
  ];
}

function AccountName({ of: { account } }: { readonly of: Connection }) {
  const t = useText();
  if (account.label === null) return <span className="muted">{t("connections.noAccount")}</span>;
  return <Breakable>{account.label}</Breakable>;
}
