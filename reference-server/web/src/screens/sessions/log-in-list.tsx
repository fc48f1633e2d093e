import type { LogIn } from "@admin/sessions";
import { Button } from "@mantine/core";
import { useState } from "react";
import { screenPath, useSearch } from "../../app/links";
import { useMessages } from "../../messages/language";
import { FilterChip } from "../../parts/filter-chip";
import { FilterSelect } from "../../parts/filter-select";
import { Identifier, Scopes, Status } from "../../parts/identifier";
import { Page } from "../../parts/page";
import { ResourceTable } from "../../parts/resource-table";
import { Time } from "../../parts/time";
import { EndLogIns } from "./end-sign-ins";
import { messages } from "./messages";
import { PersonCell, PersonChip, personName } from "./person";
import { SessionViews } from "./session-views";

interface Ending {
  readonly items: readonly LogIn[];
  readonly done: () => void;
}

/** Devices that act for people, and those that did. */
export default function LogInList() {
  const t = useMessages(messages);
  const [search, setSearch] = useSearch();
  const [ending, setEnding] = useState<Ending>();
  const user = search.get("user") ?? undefined;
  const client = search.get("client") ?? undefined;
  const state = search.get("state") ?? undefined;
  return (
    <Page title={t.title} lead={t.lead}>
      <SessionViews current="devices" />
      <ResourceTable<LogIn>
        list="/log-ins"
        filters={{ user, client, state }}
        filtered={[user, client, state].some((value) => value !== undefined)}
        searchLabel={t.searchPeople}
        defaultSort="-createdAt"
        rowId={({ id }) => id}
        rowName={(logIn) => personName(logIn.user)}
        rowTo={(logIn) => screenPath("users", logIn.user.id)}
        empty={t.emptyDevices}
        toolbar={
          <>
            <FilterSelect
              label={t.anyState}
              value={state ?? null}
              options={[
                { value: "live", label: t.live },
                { value: "ended", label: t.ended },
              ]}
              onChange={(next) => setSearch({ state: next })}
            />
            <PersonChip />
            <FilterChip
              label={client && t.onlyClient(client)}
              onRemove={() => setSearch({ client: undefined })}
            />
          </>
        }
        bulkActions={(items, done) => (
          <Button variant="default" onClick={() => setEnding({ items, done })}>
            {t.signOut}
          </Button>
        )}
        columns={[
          {
            id: "person",
            header: t.columns.person,
            cell: (logIn) => <PersonCell person={logIn.user} />,
          },
          {
            id: "client",
            header: t.columns.client,
            width: "19%",
            secondary: true,
            cell: (logIn) => (
              <>
                {logIn.client.name}
                {logIn.shortCode !== null && (
                  <div className="muted" title={t.codeHelp}>
                    {t.columns.code} <Identifier>{logIn.shortCode}</Identifier>
                  </div>
                )}
              </>
            ),
          },
          {
            id: "scopes",
            header: t.columns.scopes,
            width: "24%",
            secondary: true,
            cell: ({ scopes }) => <Scopes keys={scopes} most={3} />,
          },
          {
            id: "state",
            header: t.columns.state,
            width: "11rem",
            cell: (logIn) => <LogInState logIn={logIn} />,
          },
          {
            id: "since",
            header: t.columns.signedIn,
            sort: "createdAt",
            width: "8.5rem",
            secondary: true,
            cell: ({ createdAt }) => <Time at={createdAt} />,
          },
        ]}
      />
      {ending !== undefined && (
        <EndLogIns items={ending.items} onEnded={ending.done} onClose={() => setEnding(undefined)} />
      )}
    </Page>
  );
}

function LogInState({ logIn }: { readonly logIn: LogIn }) {
  const t = useMessages(messages);
  const { state, revocationReason } = logIn;
  if (state === "live") return <Status tone="good">{t.live}</Status>;
  const reason = revocationReason ?? "expired";
  return (
    <>
      <Status tone="neutral">{t.ended}</Status>
      <div className="muted">{t.reasons[reason] ?? reason.replaceAll("_", " ")}</div>
    </>
  );
}
