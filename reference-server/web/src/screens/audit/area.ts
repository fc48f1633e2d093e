import type { Area } from "../area";
import { readFilter } from "./filter";

export const area: Area = {
  id: "audit",
  group: "installation",
  position: 30,
  icon: "audit",
  path: "/audit",
  route: "GET /audit-events",
  shortcut: "l",
  texts: ["audit"],
  screens: [
    {
      path: "/audit",
      load: () => import("./event-list"),
      asks: (search) => ({
        list: "/audit-events",
        uncounted: true,
        defaultSort: "",
        filters: readFilter(search),
      }),
    },
    { path: "/audit/verification", load: () => import("./verification") },
    { path: "/audit/$id", load: () => import("./event-detail") },
  ],
  actions: [
    {
      text: "palette.areas.audit.verify",
      route: "GET /audit-events/verification",
      path: "/audit/verification",
    },
    { text: "palette.areas.audit.denied", route: "GET /audit-events", path: "/audit?outcome=denied" },
  ],
};
