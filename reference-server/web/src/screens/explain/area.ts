import type { Area } from "../area";

export const area: Area = {
  id: "explain",
  group: "permissions",
  position: 20,
  icon: "explain",
  path: "/explain",
  route: "GET /explain",
  shortcut: "e",
  texts: ["explain"],
  screens: [{ path: "/explain", load: () => import("./explain-screen") }],
};
