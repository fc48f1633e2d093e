import type { Connector, ConnectorList } from "@admin/connectors";
import { useItem } from "../../api/queries";

/** Connectors by key, for lists that contain only keys. */
export function useConnectors(): ReadonlyMap<string, Connector> {
  const { data } = useItem<ConnectorList>("/connectors", { query: { limit: 200 } });
  return new Map((data?.items ?? []).map((connector) => [connector.key, connector]));
}
