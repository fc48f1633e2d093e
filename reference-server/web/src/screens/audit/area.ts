import type { Area } from "../../app/area";

export const area: Area = {
  id: "audit",
  group: "installation",
  position: 30,
  icon: "audit",
  path: "/audit",
  shortcut: "l",
  texts: ["audit"],
  screens: [
    { path: "/audit", load: () => import("./event-list") },
    { path: "/audit/verification", load: () => import("./verification") },
    { path: "/audit/$id", load: () => import("./event-detail") },
  ],
  actions: [
    { text: "palette.areas.audit.verify", path: "/audit/verification" },
    { text: "palette.areas.audit.denied", path: "/audit?outcome=denied" },
  ],
};
