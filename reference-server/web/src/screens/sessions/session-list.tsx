import type { IdentityProviderList } from "@admin/identity-providers";
import type { Session } from "@admin/sessions";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useItem } from "../../api/queries";
import { screenPath, useSearch } from "../../app/links";
import { useMessages } from "../../messages/language";
import { FilterSelect } from "../../parts/filter-select";
import { Page } from "../../parts/page";
import { ResourceTable } from "../../parts/resource-table";
import { Time } from "../../parts/time";
import { BrowserName } from "./browser-name";
import { EndSessions } from "./end-sign-ins";
import { messages } from "./messages";
import { PersonCell, PersonChip, personName } from "./person";
import { SessionViews } from "./session-views";

interface Ending {
  readonly items: readonly Session[];
  readonly done: () => void;
}

/** Browsers where people are signed in now. */
export default function SessionList() {
  const t = useMessages(messages);
  const [search, setSearch] = useSearch();
  const [ending, setEnding] = useState<Ending>();
  const user = search.get("user") ?? undefined;
  const provider = search.get("provider") ?? undefined;
  const { data } = useItem<IdentityProviderList>("/identity-providers", { query: { limit: 200 } });
  return (
    <Page title={t.title} lead={t.lead}>
      <SessionViews current="browsers" />
      <ResourceTable<Session>
        list="/sessions"
        filters={{ user, provider }}
        filtered={user !== undefined || provider !== undefined}
        searchLabel={t.searchPeople}
        defaultSort="-signedInAt"
        rowId={({ id }) => id}
        rowName={(session) => personName(session.user)}
        rowTo={(session) => screenPath("users", session.user.id)}
        empty={t.emptyBrowsers}
        toolbar={
          <>
            {(provider !== undefined || (data?.items.length ?? 0) > 1) && (
              <FilterSelect
                label={t.anyProvider}
                value={provider ?? null}
                options={(data?.items ?? []).map(({ key, name }) => ({ value: key, label: name }))}
                onChange={(next) => setSearch({ provider: next })}
              />
            )}
            <PersonChip />
          </>
        }
        bulkActions={(items, done) => (
          <Button variant="default" onClick={() => setEnding({ items, done })}>
            {t.endSessions}
          </Button>
        )}
        columns={[
          {
            id: "person",
            header: t.columns.person,
            cell: (session) => <PersonCell person={session.user} />,
          },
          {
            id: "browser",
            header: t.columns.browser,
            width: "26%",
            cell: (session) => <BrowserName session={session} />,
          },
          {
            id: "provider",
            header: t.columns.provider,
            width: "17%",
            secondary: true,
            cell: (session) => session.provider.name,
          },
          {
            id: "since",
            header: t.columns.signedIn,
            sort: "signedInAt",
            width: "9rem",
            cell: ({ signedInAt }) => <Time at={signedInAt} />,
          },
          {
            id: "until",
            header: t.columns.expires,
            width: "9rem",
            secondary: true,
            cell: ({ expiresAt }) => <Time at={expiresAt} />,
          },
        ]}
      />
      {ending !== undefined && (
        <EndSessions items={ending.items} onEnded={ending.done} onClose={() => setEnding(undefined)} />
      )}
    </Page>
  );
}
