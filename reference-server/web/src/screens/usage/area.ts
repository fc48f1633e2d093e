import type { Area } from "../area";

export const area: Area = {
  id: "usage",
  group: "installation",
  position: 25,
  icon: "usage",
  path: "/usage",
  route: "GET /usage",
  shortcut: "u",
  texts: ["usage"],
  screens: [{ path: "/usage", load: () => import("./usage-screen") }],
};
