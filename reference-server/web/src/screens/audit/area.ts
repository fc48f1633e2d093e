import type { Area } from "../../app/area";

export const auditArea: Area = {
  id: "audit",
  group: "installation",
  icon: "audit",
  path: "/audit",
  shortcut: "l",
  labels: {
    en: { title: "Audit", keywords: "log events history trail export verify" },
    de: { title: "Audit", keywords: "Protokoll Ereignisse Verlauf Export Beweis" },
  },
  screens: [
    { path: "/audit", load: () => import("./event-list") },
    { path: "/audit/verification", load: () => import("./verification") },
    { path: "/audit/$id", load: () => import("./event-detail") },
  ],
  actions: [
    {
      labels: { en: "Prove that the audit trail is unaltered", de: "Unversehrtheit des Audits beweisen" },
      path: "/audit/verification",
    },
    {
      labels: { en: "See what was denied", de: "Abgelehntes ansehen" },
      path: "/audit?outcome=denied",
    },
  ],
};
