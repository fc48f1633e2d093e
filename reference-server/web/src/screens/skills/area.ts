import type { SkillSummary } from "@admin/skills";
import type { Area } from "../area";
import { screenPath } from "../../address/links";

export const area: Area = {
  id: "skills",
  group: "permissions",
  position: 60,
  icon: "skill",
  path: "/skills",
  route: "GET /skills",
  shortcut: "s",
  texts: ["skills", "usage", "access"],
  screens: [
    {
      path: "/skills",
      load: () => import("./skill-list"),
      asks: () => ({ list: "/skills", defaultSort: "title" }),
    },
    { path: "/skills/new", load: () => import("./skill-create") },
    { path: "/skills/$id", load: () => import("./skill-edit") },
    {
      path: "/catalogs",
      load: () => import("./catalog-list"),
      asks: (search) => ({
        list: "/catalogs",
        defaultSort: "key",
        filters: { state: search.getAll("state") },
      }),
    },
    { path: "/catalogs/$key", load: () => import("./catalog-detail") },
  ],
  actions: [
    { text: "palette.areas.skills.write", route: "POST /skills", path: "/skills/new" },
    { text: "palette.areas.skills.catalogs", route: "GET /catalogs", path: "/catalogs" },
  ],
  search: {
    list: "/skills",
    toHit: ({ id, title, publishedId }: SkillSummary) => ({
      title,
      detail: publishedId,
      path: screenPath("skills", id),
    }),
  },
};
