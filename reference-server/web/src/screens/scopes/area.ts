import type { Area } from "../../app/area";
import { screenPath } from "../../app/links";
import type { Scope } from "@admin/scopes";

export const scopesArea: Area = {
  id: "scopes",
  group: "permissions",
  icon: "scope",
  path: "/scopes",
  shortcut: "c",
  texts: ["scopes"],
  screens: [
    { path: "/scopes", load: () => import("./scope-list") },
    { path: "/scopes/new", load: () => import("./scope-create") },
    { path: "/scopes/$key", load: () => import("./scope-edit") },
  ],
  actions: [{ text: "palette.areas.scopes.create", path: "/scopes/new" }],
  search: {
    list: "/scopes",
    toHit: ({ key, description }: Scope) => ({
      title: key,
      detail: description,
      path: screenPath("scopes", key),
    }),
  },
};
