import type { Connection } from "@admin/connections";
import type { Connector } from "@admin/connectors";
import { Button } from "@mantine/core";
import { useState } from "react";
import { Link, screenPath, useSearch } from "../../address/links";
import { useText } from "../../text/text";
import { FilterSelect } from "../../parts/filter-select";
import { Breakable } from "../../parts/identifier";
import { type Column, ResourceTable } from "../../parts/resource-table";
import { Time } from "../../parts/time";
import { PersonCell, PersonChip, personName } from "../sessions/person";
import { ConnectionState } from "./connection-state";
import { Disconnect } from "./disconnect";
import { useConnectors } from "./use-connectors";

const states = ["connected", "reconnect_required", "disconnecting"] as const;

/** Connections: those of one connector, or all of them with the connector in a column. */
export function ConnectionTable({ connector: fixed }: { readonly connector?: Connector }) {
  const t = useText();
  const [search, setSearch] = useSearch();
  const [ending, setEnding] = useState<Connection>();
  const connectors = useConnectors();
  const nameOf = (key: string) => connectors.get(key)?.name ?? key;
  const state = search.get("state") ?? undefined;
  const user = search.get("user") ?? undefined;
  const connector = fixed?.key ?? search.get("connector") ?? undefined;
  const account: Column<Connection> =
    fixed === undefined
      ? {
          id: "connector",
          header: t("connections.columns.connector"),
          width: "var(--connection-column)",
          cell: (connection) => (
            <>
              <Link to={screenPath("connectors", connection.connector)}>{nameOf(connection.connector)}</Link>
              <div className="muted">
                <AccountName of={connection} />
              </div>
            </>
          ),
        }
      : {
          id: "account",
          header: t("connections.columns.account"),
          width: "20%",
          secondary: true,
          cell: (connection) => <AccountName of={connection} />,
        };
  return (
    <>
      <ResourceTable<Connection>
        list="/connections"
        filters={{ connector, user, state }}
        filtered={
          state !== undefined || user !== undefined || (fixed === undefined && connector !== undefined)
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
              <FilterSelect
                label={t("connections.anyConnector")}
                value={connector ?? null}
                options={[...connectors.values()].map(({ key, name }) => ({ value: key, label: name }))}
                onChange={(next) => setSearch({ connector: next })}
              />
            )}
            <FilterSelect
              label={t("connections.anyState")}
              value={state ?? null}
              options={states.map((value) => ({ value, label: t(`connections.states.${value}`) }))}
              onChange={(next) => setSearch({ state: next })}
            />
            <PersonChip />
          </>
        }
        columns={[
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
          {
            id: "connected",
            header: t("connections.columns.connected"),
            sort: "connectedAt",
            width: "8rem",
            secondary: true,
            cell: ({ connectedAt }) => <Time at={connectedAt} />,
          },
          {
            id: "used",
            header: t("connections.columns.used"),
            width: "8rem",
            secondary: true,
            cell: ({ lastUsedAt }) => <Time at={lastUsedAt} />,
          },
          {
            id: "actions",
            header: t("connections.disconnect"),
            quiet: true,
            align: "end",
            width: "7.8rem",
            secondary: true,
            cell: (connection) => (
              <Button
                variant="default"
                size="compact-sm"
                disabled={connection.state === "disconnecting"}
                onClick={() => setEnding(connection)}
              >
                {t("connections.disconnect")}
              </Button>
            ),
          },
        ]}
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

function AccountName({ of: { account } }: { readonly of: Connection }) {
  const t = useText();
  if (account.label === null) return <span className="muted">{t("connections.noAccount")}</span>;
  return <Breakable>{account.label}</Breakable>;
}
