import type { Area } from "../../app/area";

export const sessionsArea: Area = {
  id: "sessions",
  group: "people",
  icon: "session",
  path: "/sessions",
  shortcut: "d",
  texts: ["sessions"],
  screens: [
    { path: "/sessions", load: () => import("./session-list") },
    { path: "/sessions/devices", load: () => import("./grant-list") },
  ],
};
