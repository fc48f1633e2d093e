import type { Stop } from "@admin/stops";
import { useState } from "react";
import { timeColumn } from "../../parts/columns";
import { Breakable } from "../../parts/identifier";
import { ActionButton } from "../../parts/if-may";
import { Page } from "../../parts/page";
import { ResourceTable } from "../../parts/resource-table";
import { useText } from "../../text/text";
import { StartDialog, subjectOf, useSubjectName } from "./stop-dialogs";
import { authorOf, StopButton } from "./stop-of";

/** Everything that is stopped, and the button that stops everything. */
export default function StopList() {
  const t = useText();
  const nameOf = useSubjectName();
  const [starting, setStarting] = useState<Stop>();
  return (
    <Page
      title={t("stops.title")}
      lead={t("stops.lead")}
      actions={<StopButton subject={{ kind: "all" }} label={t("stops.stopAll")} />}
    >
      <ResourceTable<Stop>
        list="/stops"
        defaultSort="-setAt"
        rowId={({ id }) => id}
        rowName={(stop) => nameOf(subjectOf(stop))}
        empty={{ title: t("stops.empty.title"), text: t("stops.empty.text") }}
        columns={[
          {
            id: "what",
            header: t("stops.columns.what"),
            cell: (stop) => (
              <strong>
                <Breakable>{nameOf(subjectOf(stop))}</Breakable>
              </strong>
            ),
          },
          {
            id: "by",
            header: t("stops.columns.by"),
            width: "24%",
            secondary: true,
            cell: (stop) => <Breakable>{authorOf(stop) ?? t("stops.operator")}</Breakable>,
          },
          timeColumn("at", t("stops.columns.at"), "9rem", ({ setAt }) => setAt, "setAt"),
          {
            id: "start",
            header: t("stops.start"),
            quiet: true,
            width: "9.5rem",
            align: "end",
            cell: (stop) => (
              <ActionButton
                route="DELETE /stops/{id}"
                variant="default"
                size="compact-sm"
                onClick={() => setStarting(stop)}
              >
                {t("stops.start")}
              </ActionButton>
            ),
          },
        ]}
      />
      {starting !== undefined && <StartDialog stop={starting} onClose={() => setStarting(undefined)} />}
    </Page>
  );
}
