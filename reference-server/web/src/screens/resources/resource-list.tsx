import type { Resource } from "@admin/resources";
import { screenPath } from "../../address/links";
import { useText } from "../../text/text";
import { Identifier, Scopes, Status } from "../../parts/identifier";
import { MainAction, Page } from "../../parts/page";
import { timeColumn, NameCell } from "../../parts/columns";
import { ResourceTable } from "../../parts/resource-table";
import { HealthState, useHealth } from "../usage/health";

export default function ResourceList() {
  const t = useText();
  const healthOf = useHealth("service");
  const register = (
    <MainAction route="POST /resources" to="/resources/register">
      {t("resources.register")}
    </MainAction>
  );
  return (
    <Page title={t("resources.title")} lead={t("resources.lead")} actions={register}>
      <ResourceTable<Resource>
        list="/resources"
        search={t("resources.search")}
        defaultSort="name"
        rowId={({ key }) => key}
        rowName={({ name }) => name}
        rowTo={({ key }) => screenPath("resources", key)}
        empty={{ title: t("resources.empty.title"), text: t("resources.empty.text"), action: register }}
        columns={[
          {
            id: "name",
            header: t("resources.columns.name"),
            sort: "name",
            width: "24%",
            cell: ({ key, name }) => (
              <NameCell to={screenPath("resources", key)} name={name}>
                <Identifier>{key}</Identifier>
              </NameCell>
            ),
          },
          {
            id: "resource",
            header: t("resources.columns.resource"),
            secondary: true,
            cell: ({ resource }) => <Identifier>{resource}</Identifier>,
          },
          {
            id: "scopes",
            header: t("resources.columns.scopes"),
            width: "26%",
            secondary: true,
            cell: ({ supportedScopes }) => <Scopes keys={supportedScopes} most={3} />,
          },
          {
            id: "state",
            header: t("resources.columns.state"),
            width: "10rem",
            cell: ({ key, enabled }) => <ResourceState enabled={enabled} health={healthOf(key)} />,
          },
          timeColumn("changed", t("resources.columns.changed"), "8rem", ({ updatedAt }) => updatedAt),
        ]}
      />
    </Page>
  );
}

/** The health of an enabled service, where it is known, or else whether it is enabled. */
function ResourceState(props: {
  readonly enabled: boolean;
  readonly health: ReturnType<ReturnType<typeof useHealth>>;
}) {
  const { enabled, health } = props;
  const t = useText();
  if (enabled && health !== undefined) return <HealthState health={health} />;
  return <Status tone="neutral">{enabled ? t("resources.enabled") : t("resources.disabled")}</Status>;
}
