import type { Resource } from "@admin/resources";
import type { Area } from "../area";
import { screenPath } from "../../address/links";

export const area: Area = {
  id: "resources",
  group: "permissions",
  position: 40,
  icon: "resource",
  path: "/resources",
  route: "GET /resources",
  shortcut: "r",
  texts: ["resources", "rules", "usage", "access", "stops"],
  screens: [
    {
      path: "/resources",
      load: () => import("./resource-list"),
      asks: () => ({ list: "/resources", defaultSort: "name" }),
    },
    { path: "/resources/register", load: () => import("./register-service") },
    { path: "/resources/new", load: () => import("./resource-create") },
    { path: "/resources/$key", load: () => import("./resource-edit") },
  ],
  actions: [
    { text: "palette.areas.resources.register", route: "POST /resources", path: "/resources/register" },
    { text: "palette.areas.resources.byHand", route: "POST /resources", path: "/resources/new" },
  ],
  search: {
    list: "/resources",
    toHit: ({ key, name, resource }: Resource) => ({
      title: name,
      detail: resource,
      path: screenPath("resources", key),
    }),
  },
};
