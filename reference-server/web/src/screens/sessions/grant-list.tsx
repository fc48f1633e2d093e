import type { Grant } from "@admin/sessions";
import { Button } from "@mantine/core";
import { useState } from "react";
import { screenPath, useSearch, withQuery } from "../../address/links";
import { hasText, useText } from "../../text/text";
import { FilterSelect } from "../../parts/filter-select";
import { Scopes, Status } from "../../parts/identifier";
import { Page } from "../../parts/page";
import { ResourceTable, type Selection } from "../../parts/resource-table";
import { Time } from "../../parts/time";
import { AppName, ClientFilter, ServiceFilter, ServiceName } from "./apps";
import { EndGrants } from "./end-sign-ins";
import { PersonCell, PersonChip, personName } from "./person";
import { SessionViews } from "./session-views";

interface Ending {
  readonly selection: Selection<Grant>;
  readonly done: () => void;
}

/** Apps that act for people, and those that did. */
export default function GrantList() {
  const t = useText();
  const [search, setSearch] = useSearch();
  const [ending, setEnding] = useState<Ending>();
  const user = search.get("user") ?? undefined;
  const client = search.get("client") ?? undefined;
  const service = search.get("service") ?? undefined;
  const state = search.get("state") ?? undefined;
  return (
    <Page title={t("sessions.title")} lead={t("sessions.lead")}>
      <SessionViews current="apps" />
      <ResourceTable<Grant>
        list="/grants"
        filters={{ user, client, service, state }}
        filtered={[user, client, service, state].some((value) => value !== undefined)}
        search={t("sessions.search")}
        suggests={["user", "client", "service"]}
        defaultSort="-createdAt"
        rowId={({ id }) => id}
        rowName={(logIn) => personName(logIn.user)}
        rowTo={(logIn) => screenPath("users", logIn.user.id)}
        empty={{ title: t("sessions.emptyApps.title"), text: t("sessions.emptyApps.text") }}
        toolbar={
          <>
            <FilterSelect
              label={t("sessions.anyState")}
              value={state ?? null}
              options={[
                { value: "live", label: t("sessions.live") },
                { value: "ended", label: t("sessions.ended") },
              ]}
              onChange={(next) => setSearch({ state: next })}
            />
            <ClientFilter />
            <ServiceFilter />
            <PersonChip />
          </>
        }
        bulkActions={(selection, done) => (
          <Button variant="default" onClick={() => setEnding({ selection, done })}>
            {t("sessions.signOutApps")}
          </Button>
        )}
        selectsAll
        rowActions={(item) => [
          { label: t("sessions.openPerson"), to: screenPath("users", item.user.id) },
          { label: t("sessions.onlyTheirs"), to: withQuery("/sessions/devices", { user: item.user.id }) },
          ...(item.state === "ended"
            ? []
            : [
                {
                  label: t("sessions.end"),
                  destructive: true,
                  onSelect: () =>
                    setEnding({ selection: { ids: [item.id], items: [item] }, done: () => undefined }),
                },
              ]),
        ]}
        columns={[
          {
            id: "person",
            header: t("sessions.columns.person"),
            cell: (logIn) => <PersonCell person={logIn.user} />,
          },
          {
            id: "client",
            header: t("sessions.columns.client"),
            width: "19%",
            secondary: true,
            cell: (logIn) => <AppName grant={logIn} />,
          },
          {
            id: "scopes",
            header: t("sessions.columns.service"),
            width: "22%",
            secondary: true,
            cell: ({ service: at, scopes }) => (
              <>
                <ServiceName service={at} />
                <div>
                  <Scopes keys={scopes} most={3} />
                </div>
              </>
            ),
          },
          {
            id: "state",
            header: t("sessions.columns.state"),
            width: "11rem",
            cell: (logIn) => <LogInState logIn={logIn} />,
          },
          {
            id: "since",
            header: t("sessions.columns.signedIn"),
            sort: "createdAt",
            width: "10.5rem",
            secondary: true,
            cell: ({ createdAt, lastUsedAt }) => (
              <>
                <Time at={createdAt} />
                <div className="muted">{t("sessions.used", { time: <Time at={lastUsedAt} /> })}</div>
              </>
            ),
          },
        ]}
      />
      {ending !== undefined && (
        <EndGrants selection={ending.selection} onEnded={ending.done} onClose={() => setEnding(undefined)} />
      )}
    </Page>
  );
}

function LogInState({ logIn }: { readonly logIn: Grant }) {
  const t = useText();
  const { state, revocationReason } = logIn;
  if (state === "live") return <Status tone="good">{t("sessions.live")}</Status>;
  const reason = revocationReason ?? "expired";
  const key = `sessions.reasons.${reason}`;
  return (
    <>
      <Status tone="neutral">{t("sessions.ended")}</Status>
      <div className="muted">{hasText(key) ? t(key) : reason.replaceAll("_", " ")}</div>
    </>
  );
}
