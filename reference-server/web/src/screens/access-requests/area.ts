import type { AccessRequestCount } from "@admin/access-requests";
import type { Area } from "../area";

export const area: Area = {
  id: "access-requests",
  group: "permissions",
  position: 5,
  icon: "user",
  path: "/access-requests",
  route: "GET /access-requests",
  shortcut: "q",
  texts: ["access-requests", "access", "assignments", "explain"],
  waiting: {
    item: "/access-requests/count",
    count: ({ pending }: AccessRequestCount) => pending,
    text: "shell.waiting.requests",
  },
  screens: [
    { path: "/access-requests", load: () => import("./request-list") },
    { path: "/access-requests/$id", load: () => import("./request-detail") },
  ],
};
