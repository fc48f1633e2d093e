import type { Area } from "../area";

export const area: Area = {
  id: "stops",
  group: "people",
  position: 35,
  icon: "failed",
  path: "/stops",
  route: "GET /stops",
  shortcut: "b",
  texts: ["stops"],
  screens: [
    {
      path: "/stops",
      load: () => import("./stop-list"),
      asks: () => ({ list: "/stops", defaultSort: "-setAt", filters: {} }),
    },
  ],
  actions: [{ text: "palette.areas.stops.stopAll", path: "/stops", route: "POST /stops" }],
};
