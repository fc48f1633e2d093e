import type { AppHost, AppPolicy } from "@admin/app-hosts";
import { useState } from "react";
import { useItem } from "../../api/queries";
import { apiPath } from "../../api/request";
import { Link, screenPath, withQuery } from "../../address/links";
import { useText } from "../../text/text";
import { ActionButton, IfMay } from "../../parts/if-may";
import { ConfirmChange } from "../../parts/confirm-destructive";
import { ListFilter, useFilters } from "../../parts/filters";
import { Identifier, Status } from "../../parts/identifier";
import { HistoryLink, MainAction, Page, Section } from "../../parts/page";
import { countColumn, timeColumn, NameCell } from "../../parts/columns";
import { type Column, ResourceTable } from "../../parts/resource-table";
import { AskedHosts } from "./asked-hosts";
import { HostViews } from "./host-views";
import { Suggestions } from "./suggestions";
import { affected } from "./use-decision";

/** Hosts that people asked for, decided hosts, and well-known ones. */
export default function HostList() {
  const t = useText();
  const { filters, filtered } = useFilters("allowed");
  const [changing, setChanging] = useState<AppHost>();
  return (
    <Page
      title={t("app-hosts.title")}
      lead={t("app-hosts.lead")}
      actions={
        <>
          <HistoryLink subject="app_host" />
          <MainAction route="POST /app-hosts" to="/app-hosts/new">
            {t("app-hosts.create")}
          </MainAction>
        </>
      }
    >
      <HostViews />
      <PolicyNote />
      <AskedHosts />
      <Section title={t("app-hosts.decided")}>
        <ResourceTable<AppHost>
          list="/app-hosts"
          filters={filters}
          filtered={filtered}
          search={t("app-hosts.search")}
          defaultSort="name"
          rowId={({ host }) => host}
          rowName={({ host }) => host}
          rowTo={({ host }) => hostPath(host)}
          empty={{ title: t("app-hosts.empty.title"), text: t("app-hosts.empty.text") }}
          toolbar={
            <ListFilter
              name="allowed"
              label={t("app-hosts.anyState")}
              options={[
                ["true", t("app-hosts.allowed")],
                ["false", t("app-hosts.refused")],
              ]}
            />
          }
          columns={useColumns(setChanging)}
        />
      </Section>
      <IfMay route="POST /app-hosts">
        <Suggestions />
      </IfMay>
      {changing !== undefined && <ChangeHost host={changing} onClose={() => setChanging(undefined)} />}
    </Page>
  );
}

/** Name, decision and use of each host, with a button that changes the decision. */
function useColumns(onChange: (host: AppHost) => void): readonly Column<AppHost>[] {
  const t = useText();
  return [
    {
      id: "name",
      header: t("app-hosts.columns.name"),
      sort: "name",
      cell: ({ host, name }) => (
        <NameCell to={hostPath(host)} name={name}>
          {name === host ? undefined : <Identifier>{host}</Identifier>}
        </NameCell>
      ),
    },
    {
      id: "state",
      header: t("app-hosts.columns.state"),
      width: "8rem",
      cell: ({ allowed, askedBy }) => (
        <>
          <Status tone={allowed ? "good" : "bad"}>
            {allowed ? t("app-hosts.allowed") : t("app-hosts.refused")}
          </Status>
          {!allowed && askedBy > 0 && (
            <div className="muted">{t("app-hosts.askedBy", { count: askedBy })}</div>
          )}
        </>
      ),
    },
    countColumn("clients", t("app-hosts.columns.clients"), "5rem", ({ clients }) => clients),
    timeColumn("changed", t("app-hosts.columns.changed"), "8.5rem", ({ updatedAt }) => updatedAt),
    {
      id: "change",
      header: t("app-hosts.columns.change"),
      quiet: true,
      width: "11rem",
      secondary: true,
      cell: (host) => (
        <ActionButton
          route="PATCH /app-hosts/{host}"
          variant="default"
          size="compact-sm"
          aria-label={t(host.allowed ? "app-hosts.stopHost" : "app-hosts.allowHost", {
            host: host.host,
          })}
          onClick={() => onChange(host)}
        >
          {host.allowed ? t("app-hosts.stopAllowing") : t("app-hosts.allow")}
        </ActionButton>
      ),
    },
  ];
}

/** Warns that the list of hosts decides nothing while the policy trusts all or none. */
function PolicyNote() {
  const t = useText();
  const { data } = useItem<AppPolicy>("/app-policy");
  if (data === undefined || data.trust === "listed") return undefined;
  return (
    <p className="note-box">
      {t(`app-hosts.policyNote.${data.trust}`)}{" "}
      <Link to="/app-hosts/policy">{t("app-hosts.policy.title")}</Link>
    </p>
  );
}

/** Allows or refuses a host, after showing which apps that affects. */
function ChangeHost(props: { readonly host: AppHost; readonly onClose: () => void }) {
  const t = useText();
  const { host, allowed, version } = props.host;
  return (
    <ConfirmChange
      title={allowed ? t("app-hosts.stopTitle", { host }) : t("app-hosts.allowTitle", { host })}
      confirmLabel={allowed ? t("app-hosts.stopAllowing") : t("app-hosts.allow")}
      path={apiPath("app-hosts", host)}
      options={{ method: "PATCH", body: { allowed: !allowed }, version }}
      affects={affected}
      done={() => (allowed ? t("app-hosts.refusedDone", { host }) : t("app-hosts.allowedDone", { host }))}
      onClose={props.onClose}
    >
      <p>{allowed ? t("app-hosts.stopText") : t("app-hosts.allowText")}</p>
    </ConfirmChange>
  );
}

/** The screen of one host. */
function hostPath(host: string): string {
  return screenPath("app-hosts", "hosts", host);
}

/** The apps that have come from a host. */
export function appsOf(host: string): string {
  return withQuery("/clients", { q: host });
}
