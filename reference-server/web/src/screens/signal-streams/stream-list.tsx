import type { SignalStream } from "@admin/signal-streams";
import { screenPath } from "../../address/links";
import { useText } from "../../text/text";
import { Identifier } from "../../parts/identifier";
import { MainAction, Page } from "../../parts/page";
import { NameCell, timeColumn } from "../../parts/columns";
import { ResourceTable } from "../../parts/resource-table";
import { Health } from "./health";

export default function StreamList() {
  const t = useText();
  const create = (
    <MainAction route="POST /signal-streams" to="/signal-streams/new">
      {t("signal-streams.create")}
    </MainAction>
  );
  return (
    <Page title={t("signal-streams.title")} lead={t("signal-streams.lead")} actions={create}>
      <ResourceTable<SignalStream>
        list="/signal-streams"
        search={t("signal-streams.search")}
        defaultSort="name"
        rowId={({ key }) => key}
        rowName={({ name }) => name}
        rowTo={({ key }) => screenPath("signal-streams", key)}
        empty={{
          title: t("signal-streams.empty.title"),
          text: t("signal-streams.empty.text"),
          action: create,
        }}
        columns={[
          {
            id: "name",
            header: t("signal-streams.columns.name"),
            sort: "name",
            cell: ({ key, name }) => (
              <NameCell to={screenPath("signal-streams", key)} name={name}>
                <Identifier>{key}</Identifier>
              </NameCell>
            ),
          },
          {
            id: "transmitter",
            header: t("signal-streams.columns.transmitter"),
            width: "32%",
            secondary: true,
            cell: ({ transmitter }) => <Identifier>{transmitter}</Identifier>,
          },
          timeColumn(
            "received",
            t("signal-streams.columns.received"),
            "9rem",
            ({ lastReceivedAt }) => lastReceivedAt,
          ),
          {
            id: "health",
            header: t("signal-streams.columns.health"),
            width: "9rem",
            cell: ({ health }) => <Health health={health} />,
          },
        ]}
      />
    </Page>
  );
}
