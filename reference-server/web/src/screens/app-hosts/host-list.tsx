import type { AppHost, AppPolicy } from "@admin/app-hosts";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useItem } from "../../api/queries";
import { Link, screenPath, useSearch, withQuery } from "../../address/links";
import { formatNumber, useText } from "../../text/text";
import { FilterSelect } from "../../parts/filter-select";
import { Identifier, Status } from "../../parts/identifier";
import { HistoryLink, MainAction, Page, Section } from "../../parts/page";
import { ResourceTable } from "../../parts/resource-table";
import { Time } from "../../parts/time";
import { AskedHosts } from "./asked-hosts";
import { ChangeHost } from "./change-host";
import { HostViews } from "./host-views";
import { Suggestions } from "./suggestions";

/** What people ask for, what was decided, and what others allow. */
export default function HostList() {
  const t = useText();
  const [search, setSearch] = useSearch();
  const [changing, setChanging] = useState<AppHost>();
  const allowed = search.get("allowed") ?? undefined;
  return (
    <Page
      title={t("app-hosts.title")}
      lead={t("app-hosts.lead")}
      actions={
        <>
          <HistoryLink subject="app_host" />
          <MainAction to="/app-hosts/new">{t("app-hosts.create")}</MainAction>
        </>
      }
    >
      <HostViews current="hosts" />
      <PolicyNote />
      <AskedHosts />
      <Section title={t("app-hosts.decided")}>
        <ResourceTable<AppHost>
          list="/app-hosts"
          filters={{ allowed }}
          filtered={allowed !== undefined}
          search={t("app-hosts.search")}
          defaultSort="name"
          rowId={({ host }) => host}
          rowName={({ host }) => host}
          rowTo={({ host }) => hostPath(host)}
          empty={{ title: t("app-hosts.empty.title"), text: t("app-hosts.empty.text") }}
          toolbar={
            <FilterSelect
              label={t("app-hosts.anyState")}
              value={allowed ?? null}
              options={[
                { value: "true", label: t("app-hosts.allowed") },
                { value: "false", label: t("app-hosts.refused") },
              ]}
              onChange={(next) => setSearch({ allowed: next })}
            />
          }
          columns={[
            {
              id: "name",
              header: t("app-hosts.columns.name"),
              sort: "name",
              cell: ({ host, name }) => (
                <>
                  <Link to={hostPath(host)}>{name}</Link>
                  {name !== host && (
                    <div className="muted">
                      <Identifier>{host}</Identifier>
                    </div>
                  )}
                </>
              ),
            },
            {
              id: "state",
              header: t("app-hosts.columns.state"),
              width: "8rem",
              cell: ({ allowed: may, askedBy }) => (
                <>
                  <Status tone={may ? "good" : "bad"}>
                    {may ? t("app-hosts.allowed") : t("app-hosts.refused")}
                  </Status>
                  {!may && askedBy > 0 && (
                    <div className="muted">{t("app-hosts.askedBy", { count: askedBy })}</div>
                  )}
                </>
              ),
            },
            {
              id: "clients",
              header: t("app-hosts.columns.clients"),
              width: "5rem",
              align: "end",
              secondary: true,
              cell: ({ clients }) => formatNumber(clients),
            },
            {
              id: "changed",
              header: t("app-hosts.columns.changed"),
              width: "8.5rem",
              secondary: true,
              cell: ({ updatedAt }) => <Time at={updatedAt} />,
            },
            {
              id: "change",
              header: t("app-hosts.columns.change"),
              quiet: true,
              width: "11rem",
              secondary: true,
              cell: (host) => (
                <Button
                  variant="default"
                  size="compact-sm"
                  aria-label={t(host.allowed ? "app-hosts.stopHost" : "app-hosts.allowHost", {
                    host: host.host,
                  })}
                  onClick={() => setChanging(host)}
                >
                  {host.allowed ? t("app-hosts.stopAllowing") : t("app-hosts.allow")}
                </Button>
              ),
            },
          ]}
        />
      </Section>
      <Suggestions />
      {changing !== undefined && <ChangeHost host={changing} onClose={() => setChanging(undefined)} />}
    </Page>
  );
}

/** Says what a decision about a host is worth, while it is not the list that decides. */
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

/** The screen of one host. */
function hostPath(host: string): string {
  return screenPath("app-hosts", "hosts", host);
}

/** The apps that have come from a host. */
export function appsOf(host: string): string {
  return withQuery("/clients", { q: host });
}
