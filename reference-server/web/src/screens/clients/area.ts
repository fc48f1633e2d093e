import type { Client } from "@admin/clients";
import type { Area } from "../area";
import { filtersIn, screenPath } from "../../address/links";

export const area: Area = {
  id: "clients",
  group: "people",
  position: 40,
  icon: "client",
  path: "/clients",
  route: "GET /clients",
  shortcut: "m",
  texts: ["clients", "usage", "access", "stops"],
  screens: [
    {
      path: "/clients",
      load: () => import("./client-list"),
      asks: (search) => ({
        list: "/clients",
        defaultSort: "name",
        filters: filtersIn(search, "type", "source"),
      }),
    },
    { path: "/clients/new", load: () => import("./client-create") },
    { path: "/clients/$id", load: () => import("./client-edit") },
  ],
  actions: [{ text: "palette.areas.clients.register", route: "POST /clients", path: "/clients/new" }],
  search: {
    list: "/clients",
    toHit: ({ id, name }: Client) => ({ title: name, detail: id, path: screenPath("clients", id) }),
  },
};
