import type { Area } from "../../app/area";

export const explainArea: Area = {
  id: "explain",
  group: "permissions",
  icon: "explain",
  path: "/explain",
  shortcut: "e",
  texts: ["explain"],
  screens: [{ path: "/explain", load: () => import("./explain-screen") }],
};
