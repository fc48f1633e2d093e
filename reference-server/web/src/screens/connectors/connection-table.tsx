import type { Connection } from "@admin/connections";
import type { Connector } from "@admin/connectors";
import { Button } from "@mantine/core";
import { useState } from "react";
import { Link, screenPath, useSearch } from "../../app/links";
import { useMessages } from "../../messages/language";
import { FilterSelect } from "../../parts/filter-select";
import { Breakable } from "../../parts/identifier";
import { type Column, ResourceTable } from "../../parts/resource-table";
import { Time } from "../../parts/time";
import { PersonCell, PersonChip, personName } from "../sessions/person";
import { ConnectionState } from "./connection-state";
import { Disconnect } from "./disconnect";
import { connectionMessages } from "./messages";
import { useConnectors } from "./use-connectors";

const states = ["connected", "reconnect_required", "disconnecting"] as const;

/** Connections: those of one connector, or all of them with the connector in a column. */
export function ConnectionTable({ connector: fixed }: { readonly connector?: Connector }) {
  const t = useMessages(connectionMessages);
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
          header: t.columns.connector,
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
          header: t.columns.account,
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
        searchLabel={t.plural}
        defaultSort="-connectedAt"
        rowId={({ id }) => id}
        rowName={(connection) => personName(connection.user)}
        rowTo={(connection) => screenPath("users", connection.user.id)}
        empty={t.empty}
        toolbar={
          <>
            {fixed === undefined && (connector !== undefined || connectors.size > 1) && (
              <FilterSelect
                label={t.anyConnector}
                value={connector ?? null}
                options={[...connectors.values()].map(({ key, name }) => ({ value: key, label: name }))}
                onChange={(next) => setSearch({ connector: next })}
              />
            )}
            <FilterSelect
              label={t.anyState}
              value={state ?? null}
              options={states.map((value) => ({ value, label: t.states[value] }))}
              onChange={(next) => setSearch({ state: next })}
            />
            <PersonChip />
          </>
        }
        columns={[
          {
            id: "person",
            header: t.columns.person,
            cell: (connection) => <PersonCell person={connection.user} />,
          },
          account,
          {
            id: "state",
            header: t.columns.state,
            width: "var(--connection-column)",
            cell: (connection) => <ConnectionState connection={connection} />,
          },
          {
            id: "connected",
            header: t.columns.connected,
            sort: "connectedAt",
            width: "8rem",
            secondary: true,
            cell: ({ connectedAt }) => <Time at={connectedAt} />,
          },
          {
            id: "used",
            header: t.columns.used,
            width: "8rem",
            secondary: true,
            cell: ({ lastUsedAt }) => <Time at={lastUsedAt} />,
          },
          {
            id: "actions",
            header: t.disconnect,
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
                {t.disconnect}
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
  const { noAccount } = useMessages(connectionMessages);
  if (account.label === null) return <span className="muted">{noAccount}</span>;
  return <Breakable>{account.label}</Breakable>;
}
