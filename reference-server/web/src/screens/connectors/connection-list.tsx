import { useText } from "../../text/text";
import { Page } from "../../parts/page";
import { ConnectionTable } from "./connection-table";
import { ConnectorViews } from "./connector-views";

/** Every account that anybody has connected. */
export default function ConnectionList() {
  const t = useText();
  return (
    <Page title={t("connectors.title")} lead={t("connections.lead")}>
      <ConnectorViews />
      <ConnectionTable />
    </Page>
  );
}
