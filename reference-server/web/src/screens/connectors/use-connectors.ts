import type { Connector, ConnectorList } from "@admin/connectors";
import { useItem } from "../../api/queries";

/** The connectors by their keys, for lists that know only these. */
export function useConnectors(): ReadonlyMap<string, Connector> {
  const { data } = useItem<ConnectorList>("/connectors", { query: { limit: 200 } });
  return new Map((data?.items ?? []).map((connector) => [connector.key, connector]));
}
