import { filtersIn } from "../../address/links";
import type { Area } from "../area";

export const area: Area = {
  id: "sessions",
  group: "people",
  position: 30,
  icon: "session",
  path: "/sessions",
  route: "GET /sessions",
  shortcut: "d",
  texts: ["sessions"],
  screens: [
    {
      path: "/sessions",
      load: () => import("./session-list"),
      asks: (search) => ({
        list: "/sessions",
        defaultSort: "-signedInAt",
        filters: filtersIn(search, "user", "provider"),
      }),
    },
    {
      path: "/sessions/devices",
      load: () => import("./grant-list"),
      asks: (search) => ({
        list: "/grants",
        defaultSort: "-createdAt",
        filters: filtersIn(search, "user", "client", "service", "state"),
      }),
    },
  ],
};
