import type { Area } from "../../app/area";

export const settingsArea: Area = {
  id: "settings",
  group: "installation",
  icon: "settings",
  path: "/settings",
  shortcut: "t",
  texts: ["settings"],
  screens: [{ path: "/settings", load: () => import("./settings-screen") }],
};
