import type { Area } from "../../app/area";

export const sessionsArea: Area = {
  id: "sessions",
  group: "people",
  icon: "session",
  path: "/sessions",
  shortcut: "d",
  labels: {
    en: { title: "Sessions and devices", keywords: "log-ins browsers sign out revoke" },
    de: { title: "Sitzungen und Geräte", keywords: "Anmeldungen Browser abmelden beenden" },
  },
  screens: [
    { path: "/sessions", load: () => import("./session-list") },
    { path: "/sessions/devices", load: () => import("./log-in-list") },
  ],
};
