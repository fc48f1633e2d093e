import type { Area } from "../../app/area";

export const overviewArea: Area = {
  id: "overview",
  group: "start",
  icon: "overview",
  path: "/",
  shortcut: "o",
  labels: {
    en: { title: "Overview", keywords: "home start state requests" },
    de: { title: "Übersicht", keywords: "Start Zustand Anfragen" },
  },
  screens: [{ path: "/", load: () => import("./overview-screen") }],
};
