import type { IdentityProviderList } from "@admin/identity-providers";
import type { Session } from "@admin/sessions";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useItem } from "../../api/queries";
import { screenPath, useSearch, withQuery } from "../../address/links";
import { useText } from "../../text/text";
import { FilterSelect } from "../../parts/filter-select";
import { Page } from "../../parts/page";
import { ResourceTable, type Selection } from "../../parts/resource-table";
import { Time } from "../../parts/time";
import { BrowserName } from "./browser-name";
import { EndSessions } from "./end-sign-ins";
import { PersonCell, PersonChip, personName } from "./person";
import { SessionViews } from "./session-views";

interface Ending {
  readonly selection: Selection<Session>;
  readonly done: () => void;
}

/** Browsers where people are signed in now. */
export default function SessionList() {
  const t = useText();
  const [search, setSearch] = useSearch();
  const [ending, setEnding] = useState<Ending>();
  const user = search.get("user") ?? undefined;
  const provider = search.get("provider") ?? undefined;
  const { data } = useItem<IdentityProviderList>("/identity-providers", { query: { limit: 200 } });
  return (
    <Page title={t("sessions.title")} lead={t("sessions.lead")}>
      <SessionViews current="browsers" />
      <ResourceTable<Session>
        list="/sessions"
        filters={{ user, provider }}
        filtered={user !== undefined || provider !== undefined}
        search={t("sessions.search")}
        suggests={["user"]}
        defaultSort="-signedInAt"
        rowId={({ id }) => id}
        rowName={(session) => personName(session.user)}
        rowTo={(session) => screenPath("users", session.user.id)}
        empty={{ title: t("sessions.emptyBrowsers.title"), text: t("sessions.emptyBrowsers.text") }}
        toolbar={
          <>
            {(provider !== undefined || (data?.items.length ?? 0) > 1) && (
              <FilterSelect
                label={t("sessions.anyProvider")}
                value={provider ?? null}
                options={(data?.items ?? []).map(({ key, name }) => ({ value: key, label: name }))}
                onChange={(next) => setSearch({ provider: next })}
              />
            )}
            <PersonChip />
          </>
        }
        bulkActions={(selection, done) => (
          <Button variant="default" onClick={() => setEnding({ selection, done })}>
            {t("sessions.signOutBrowsers")}
          </Button>
        )}
        selectsAll
        rowActions={(item) => [
          { label: t("sessions.openPerson"), to: screenPath("users", item.user.id) },
          { label: t("sessions.onlyTheirs"), to: withQuery("/sessions", { user: item.user.id }) },
          {
            label: t("sessions.end"),
            destructive: true,
            onSelect: () =>
              setEnding({ selection: { ids: [item.id], items: [item] }, done: () => undefined }),
          },
        ]}
        columns={[
          {
            id: "person",
            header: t("sessions.columns.person"),
            cell: (session) => <PersonCell person={session.user} />,
          },
          {
            id: "browser",
            header: t("sessions.columns.browser"),
            width: "26%",
            cell: (session) => <BrowserName session={session} />,
          },
          {
            id: "provider",
            header: t("sessions.columns.provider"),
            width: "17%",
            secondary: true,
            cell: (session) => session.provider.name,
          },
          {
            id: "since",
            header: t("sessions.columns.signedIn"),
            sort: "signedInAt",
            width: "10.5rem",
            cell: ({ signedInAt, lastUsedAt }) => (
              <>
                <Time at={signedInAt} />
                <div className="muted">{t("sessions.used", { time: <Time at={lastUsedAt} /> })}</div>
              </>
            ),
          },
          {
            id: "until",
            header: t("sessions.columns.expires"),
            width: "9rem",
            secondary: true,
            cell: ({ expiresAt }) => <Time at={expiresAt} />,
          },
        ]}
      />
      {ending !== undefined && (
        <EndSessions
          selection={ending.selection}
          onEnded={ending.done}
          onClose={() => setEnding(undefined)}
        />
      )}
    </Page>
  );
}
