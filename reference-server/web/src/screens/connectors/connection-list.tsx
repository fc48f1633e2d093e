import { useMessages } from "../../messages/language";
import { Page } from "../../parts/page";
import { ConnectionTable } from "./connection-table";
import { ConnectorViews } from "./connector-views";
import { connectionMessages, messages } from "./messages";

/** Every account that anybody has connected. */
export default function ConnectionList() {
  const { title } = useMessages(messages);
  const { lead } = useMessages(connectionMessages);
  return (
    <Page title={title} lead={lead}>
      <ConnectorViews current="connections" />
      <ConnectionTable />
    </Page>
  );
}
