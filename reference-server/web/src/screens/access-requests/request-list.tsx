import type { AccessRequest } from "@admin/access-requests";
import { SegmentedControl } from "@mantine/core";
import { screenPath, useSearch } from "../../address/links";
import { NameCell } from "../../parts/columns";
import { useText } from "../../text/text";
import { Breakable, Scope } from "../../parts/identifier";
import { Page } from "../../parts/page";
import { personName } from "../../parts/person";
import { ResourceTable } from "../../parts/resource-table";
import { Time } from "../../parts/time";

const states = ["pending", "approved", "declined", "withdrawn"] as const;

/** Requests of one state; at first the pending ones. */
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
        rowName={({ person }) => personName(person)}
        rowTo={({ id }) => screenPath("access-requests", id)}
        empty={{ title: t("access-requests.empty.title"), text: t("access-requests.empty.text") }}
        columns={[
          {
            id: "who",
            header: t("access-requests.columns.who"),
            cell: ({ id, person, reason }) => (
              <NameCell
                to={screenPath("access-requests", id)}
                name={<Breakable>{personName(person)}</Breakable>}
              >
                <Breakable>{reason}</Breakable>
              </NameCell>
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
