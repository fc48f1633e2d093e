import type { AccessRequest } from "@admin/access-requests";
import { SegmentedControl } from "@mantine/core";
import { Link, screenPath, useSearch } from "../../address/links";
import { useText } from "../../text/text";
import { Breakable, Scope } from "../../parts/identifier";
import { Page } from "../../parts/page";
import { ResourceTable } from "../../parts/resource-table";
import { Time } from "../../parts/time";

const states = ["pending", "approved", "declined", "withdrawn"] as const;

/** What people ask for; those that wait come first. */
export default function RequestList() {
  const t = useText();
  const [search, setSearch] = useSearch();
  const state = states.find((one) => one === search.get("state")) ?? "pending";
  return (
    <Page title={t("access-requests.title")} lead={t("access-requests.lead")}>
      {/* Outside the table, which shows nothing but its empty state while no request is pending. */}
      <SegmentedControl
        className="request-states"
        value={state}
        onChange={(next) => setSearch({ state: next === "pending" ? undefined : next })}
        data={states.map((value) => ({ value, label: t(`access-requests.states.${value}`) }))}
        aria-label={t("access-requests.state")}
      />
      <ResourceTable<AccessRequest>
        list="/access-requests"
        filters={{ state }}
        filtered={state !== "pending"}
        defaultSort="-createdAt"
        rowId={({ id }) => id}
        rowName={nameOf}
        rowTo={({ id }) => screenPath("access-requests", id)}
        empty={{ title: t("access-requests.empty.title"), text: t("access-requests.empty.text") }}
        columns={[
          {
            id: "who",
            header: t("access-requests.columns.who"),
            cell: (request) => (
              <>
                <Link to={screenPath("access-requests", request.id)}>
                  <Breakable>{nameOf(request)}</Breakable>
                </Link>
                <div className="muted">
                  <Breakable>{request.reason}</Breakable>
                </div>
              </>
            ),
          },
          {
            id: "what",
            header: t("access-requests.columns.what"),
            width: "var(--scope-column)",
            cell: ({ target, targetName, scopes }) => (
              <>
                <div>{targetName ?? target}</div>
                {scopes.map((scope) => (
                  <Scope key={scope}>{scope}</Scope>
                ))}
              </>
            ),
          },
          {
            id: "since",
            header: t("access-requests.columns.since"),
            sort: "createdAt",
            width: "9rem",
            cell: ({ createdAt }) => <Time at={createdAt} />,
          },
        ]}
      />
    </Page>
  );
}

/** Who asks, as people call them. */
export function nameOf({ person }: AccessRequest): string {
  return person.name ?? person.email ?? person.id;
}
