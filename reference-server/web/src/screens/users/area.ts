import type { User } from "@admin/people";
import type { Area } from "../area";
import { filtersIn, screenPath } from "../../address/links";

export const area: Area = {
  id: "users",
  group: "people",
  position: 10,
  icon: "user",
  path: "/users",
  route: "GET /users",
  shortcut: "p",
  texts: ["users", "sessions", "connections", "usage", "access", "stops"],
  screens: [
    {
      path: "/users",
      load: () => import("./user-list"),
      asks: (search) => ({
        list: "/users",
        defaultSort: "name",
        filters: filtersIn(search, "enabled", "scope", "group"),
      }),
    },
    { path: "/users/$id", load: () => import("./user-detail") },
  ],
  search: {
    list: "/users",
    toHit: ({ id, name, email }: User) => ({
      title: name ?? email ?? id,
      path: screenPath("users", id),
      ...(name !== null && email !== null && { detail: email }),
    }),
  },
};
