import type { Area } from "../../app/area";

export const overviewArea: Area = {
  id: "overview",
  group: "start",
  icon: "overview",
  path: "/",
  shortcut: "o",
  texts: ["overview", "keys", "skills"],
  screens: [{ path: "/", load: () => import("./overview-screen") }],
};
