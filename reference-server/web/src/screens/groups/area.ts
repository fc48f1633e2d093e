import type { GroupProvider } from "@admin/groups";
import type { Area } from "../area";
import { screenPath } from "../../address/links";

export const area: Area = {
  id: "group-providers",
  group: "people",
  position: 20,
  icon: "group",
  path: "/group-providers",
  route: "GET /group-providers",
  shortcut: "g",
  texts: ["groups"],
  screens: [
    { path: "/group-providers", load: () => import("./group-screens") },
    { path: "/group-providers/new", load: () => import("./group-provider-create") },
    { path: "/group-providers/$key", load: () => import("./group-provider-edit") },
  ],
  actions: [
    {
      text: "palette.areas.group-providers.add",
      route: "POST /group-providers",
      path: "/group-providers/new",
    },
  ],
  search: {
    list: "/group-providers",
    toHit: ({ key, name }: GroupProvider) => ({
      title: name,
      detail: key,
      path: screenPath("group-providers", key),
    }),
  },
};
