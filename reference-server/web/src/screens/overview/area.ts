import type { Area } from "../area";

export const area: Area = {
  id: "overview",
  group: "start",
  position: 10,
  icon: "overview",
  path: "/",
  route: "GET /overview",
  shortcut: "o",
  texts: ["overview", "keys", "skills", "stops"],
  screens: [
    {
      path: "/",
      load: () => import("./overview-screen"),
      asks: () => ({ item: "/overview" }),
    },
  ],
};
