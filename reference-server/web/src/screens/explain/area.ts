import type { Area } from "../../app/area";

export const explainArea: Area = {
  id: "explain",
  group: "permissions",
  icon: "explain",
  path: "/explain",
  shortcut: "e",
  labels: {
    en: { title: "Explain", keywords: "why allowed denied permission" },
    de: { title: "Erklären", keywords: "warum erlaubt verweigert Berechtigung" },
  },
  screens: [{ path: "/explain", load: () => import("./explain-screen") }],
};
