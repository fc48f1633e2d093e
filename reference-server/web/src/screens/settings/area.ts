import type { Area } from "../area";

export const area: Area = {
  id: "settings",
  group: "installation",
  position: 40,
  icon: "settings",
  path: "/settings",
  route: "GET /settings",
  shortcut: "t",
  texts: ["settings"],
  screens: [{ path: "/settings", load: () => import("./settings-screen") }],
};
