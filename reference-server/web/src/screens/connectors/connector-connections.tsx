import type { Connector } from "@admin/connectors";
import { useItem } from "../../api/queries";
import { apiPath } from "../../api/request";
import { useParam } from "../../address/links";
import { Loaded } from "../../parts/loaded";
import { ConnectionTable } from "./connection-table";
import { ConnectorFrame } from "./connector-frame";

/** Who has connected an account through one connector. */
export default function ConnectorConnections() {
  const key = useParam("key");
  const answer = useItem<Connector>(apiPath("connectors", key));
  return (
    <Loaded answer={answer}>
      {(connector) => (
        <ConnectorFrame connector={connector} current="connections">
          <ConnectionTable connector={connector} />
        </ConnectorFrame>
      )}
    </Loaded>
  );
}
