import type { Area } from "../area";

export const area: Area = {
  id: "approvals",
  group: "permissions",
  position: 6,
  icon: "user",
  path: "/approvals",
  route: "GET /approvals",
  texts: ["approvals"],
  screens: [
    { path: "/approvals", load: () => import("./approval-list") },
    { path: "/approvals/$id", load: () => import("./approval-detail") },
  ],
};
