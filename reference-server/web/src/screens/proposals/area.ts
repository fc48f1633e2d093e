import type { Area } from "../area";

export const area: Area = {
  id: "proposals",
  group: "permissions",
  position: 65,
  icon: "check",
  path: "/proposals",
  route: "GET /proposals",
  texts: ["proposals", "skills"],
  screens: [
    {
      path: "/proposals",
      load: () => import("./proposal-list"),
      asks: () => ({ list: "/proposals", defaultSort: "-proposedAt" }),
    },
    { path: "/proposals/$id", load: () => import("./proposal-detail") },
  ],
};
