import type { Area } from "../../app/area";

export const settingsArea: Area = {
  id: "settings",
  group: "installation",
  icon: "settings",
  path: "/settings",
  shortcut: "t",
  labels: {
    en: { title: "Settings", keywords: "name logo instructions agents branding" },
    de: { title: "Einstellungen", keywords: "Name Logo Text Agenten Aussehen" },
  },
  screens: [{ path: "/settings", load: () => import("./settings-screen") }],
};
