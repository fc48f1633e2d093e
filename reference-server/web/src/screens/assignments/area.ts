import { filtersIn } from "../../address/links";
import type { Area } from "../area";

export const area: Area = {
  id: "assignments",
  group: "permissions",
  position: 10,
  icon: "assignment",
  path: "/assignments",
  route: "GET /assignments",
  shortcut: "a",
  texts: ["assignments"],
  screens: [
    {
      path: "/assignments",
      load: () => import("./assignment-list"),
      asks: (search) => ({
        list: "/assignments",
        defaultSort: "assignee",
        filters: filtersIn(search, "email", "group", "scope"),
      }),
    },
    { path: "/assignments/new", load: () => import("./assignment-create") },
  ],
  actions: [
    { text: "palette.areas.assignments.give", route: "POST /assignments/bulk", path: "/assignments/new" },
  ],
};
