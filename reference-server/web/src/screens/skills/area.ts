import type { SkillSummary } from "@admin/skills";
import type { Area } from "../../app/area";
import { screenPath } from "../../app/links";

export const skillsArea: Area = {
  id: "skills",
  group: "permissions",
  icon: "skill",
  path: "/skills",
  shortcut: "s",
  labels: {
    en: { title: "Skills", keywords: "instructions agents catalogs Markdown" },
    de: { title: "Skills", keywords: "Anleitungen Agenten Kataloge Markdown" },
  },
  screens: [
    { path: "/skills", load: () => import("./skill-list") },
    { path: "/skills/new", load: () => import("./skill-create") },
    { path: "/skills/$id", load: () => import("./skill-edit") },
    { path: "/catalogs", load: () => import("./catalog-list") },
    { path: "/catalogs/$key", load: () => import("./catalog-detail") },
  ],
  actions: [
    { labels: { en: "Write a skill", de: "Skill schreiben" }, path: "/skills/new" },
    { labels: { en: "Skill catalogs of services", de: "Skill-Kataloge der Dienste" }, path: "/catalogs" },
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
