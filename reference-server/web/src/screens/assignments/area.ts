import type { Area } from "../../app/area";

export const assignmentsArea: Area = {
  id: "assignments",
  group: "permissions",
  icon: "assignment",
  path: "/assignments",
  shortcut: "a",
  labels: {
    en: { title: "Assignments", keywords: "permissions grant give people groups" },
    de: { title: "Zuweisungen", keywords: "Berechtigungen geben Personen Gruppen" },
  },
  screens: [
    { path: "/assignments", load: () => import("./assignment-list") },
    { path: "/assignments/new", load: () => import("./assignment-create") },
  ],
  actions: [{ labels: { en: "Give permissions", de: "Berechtigungen geben" }, path: "/assignments/new" }],
};
