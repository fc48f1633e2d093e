import type { Area } from "../area";
import { screenPath } from "../../address/links";
import type { Scope } from "@admin/scopes";

export const area: Area = {
  id: "scopes",
  group: "permissions",
  position: 30,
  icon: "scope",
  path: "/scopes",
  route: "GET /scopes",
  shortcut: "c",
  texts: ["scopes", "usage", "access"],
  screens: [
    {
      path: "/scopes",
      load: async () => ({ default: (await import("./screens")).ScopeList }),
      asks: () => ({ list: "/scopes", defaultSort: "key" }),
    },
    { path: "/scopes/new", load: async () => ({ default: (await import("./screens")).ScopeCreate }) },
    { path: "/scopes/$key", load: async () => ({ default: (await import("./screens")).ScopeEdit }) },
  ],
  actions: [{ text: "palette.areas.scopes.create", route: "POST /scopes", path: "/scopes/new" }],
  search: {
    list: "/scopes",
    toHit: ({ key, description }: Scope) => ({
      title: key,
      detail: description,
      path: screenPath("scopes", key),
    }),
  },
};
