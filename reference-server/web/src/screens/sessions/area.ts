import type { Area } from "../../app/area";

export const area: Area = {
  id: "sessions",
  group: "people",
  position: 30,
  icon: "session",
  path: "/sessions",
  shortcut: "d",
  texts: ["sessions"],
  screens: [
    { path: "/sessions", load: () => import("./session-list") },
    { path: "/sessions/devices", load: () => import("./grant-list") },
  ],
};
