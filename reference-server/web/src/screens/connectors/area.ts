import type { Connector } from "@admin/connectors";
import type { Area } from "../area";
import { filtersIn, screenPath } from "../../address/links";

export const area: Area = {
  id: "connectors",
  group: "permissions",
  position: 50,
  icon: "connector",
  path: "/connectors",
  route: "GET /connectors",
  shortcut: "x",
  texts: ["connectors", "rules", "connections", "sessions", "usage", "access"],
  screens: [
    {
      path: "/connectors",
      load: () => import("./connector-list"),
      asks: (search) => ({
        list: "/connectors",
        defaultSort: "name",
        filters: filtersIn(search, "enabled"),
      }),
    },
    { path: "/connectors/new", load: () => import("./connector-create") },
    { path: "/connectors/$key", load: () => import("./connector-edit") },
    { path: "/connectors/$key/connections", load: () => import("./connector-connections") },
    {
      path: "/connections",
      load: () => import("./connection-table"),
      asks: (search) => ({
        list: "/connections",
        defaultSort: "-connectedAt",
        filters: filtersIn(search, "connector", "user", "state"),
      }),
    },
  ],
  actions: [
    { text: "palette.areas.connectors.add", route: "POST /connectors", path: "/connectors/new" },
    { text: "palette.areas.connectors.connections", route: "GET /connections", path: "/connections" },
  ],
  search: {
    list: "/connectors",
    toHit: ({ key, name }: Connector) => ({ title: name, detail: key, path: screenPath("connectors", key) }),
  },
};
