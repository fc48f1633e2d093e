import { defineRoute } from "../http/define-route.js";
import { fromPage, toPageRequest } from "../http/list-query.js";
import type { AdminArea } from "../http/route.js";
import { audienceReach, loadAudience } from "./audience.js";
import { createSkill } from "./create-skill.js";
import { removeSkill } from "./remove-skill.js";
import {
  audienceQuerySchema,
  audienceSchema,
  createSkillSchema,
  skillListSchema,
  skillParamsSchema,
  skillQuerySchema,
  skillSchema,
  updateSkillSchema,
} from "./schemas.js";
import { loadSkill, showSkillSummary } from "./show-skill.js";
import { updateSkill } from "./update-skill.js";

const listSkills = defineRoute({
  method: "GET",
  path: "/skills",
  summary: "List the installation's own skills",
  query: skillQuerySchema,
  answer: skillListSchema,
  handle: async ({ query }, { store }) =>
    fromPage(await store.ownSkills.listPage(toPageRequest(query)), { query, show: showSkillSummary }),
});

const postSkill = defineRoute({
  method: "POST",
  path: "/skills",
  summary: "Create a skill",
  status: 201,
  preview: true,
  body: createSkillSchema,
  answer: skillSchema,
  errors: ["already_exists", "in_use"],
  handle: async ({ body }, { change, now }) =>
    await change((work) => createSkill(body, work), audienceReach(body.id, now)),
});

const getSkill = defineRoute({
  method: "GET",
  path: "/skills/{id}",
  summary: "Show a skill",
  params: skillParamsSchema,
  answer: skillSchema,
  errors: ["not_found"],
  handle: ({ params }, { store }) => loadSkill(store, params.id),
});

const patchSkill = defineRoute({
  method: "PATCH",
  path: "/skills/{id}",
  summary: "Change a skill",
  ifMatch: true,
  preview: true,
  params: skillParamsSchema,
  body: updateSkillSchema,
  answer: skillSchema,
  errors: ["not_found"],
  handle: async ({ params: { id }, body, version }, { change, now }) =>
    await change((work) => updateSkill({ id, change: body, version }, work), audienceReach(id, now)),
});

const deleteSkill = defineRoute({
  method: "DELETE",
  path: "/skills/{id}",
  summary: "Remove a skill",
  ifMatch: true,
  preview: true,
  params: skillParamsSchema,
  errors: ["not_found"],
  handle: async ({ params: { id }, version }, { change, now }) =>
    await change((work) => removeSkill({ id, version }, work), audienceReach(id, now)),
});

const getAudience = defineRoute({
  method: "GET",
  path: "/skills/{id}/audience",
  summary: "Show who can see a skill now",
  params: skillParamsSchema,
  query: audienceQuerySchema,
  answer: audienceSchema,
  errors: ["not_found"],
  handle: async ({ params, query }, { store, now }) =>
    await loadAudience(await loadSkill(store, params.id), { query, store, now }),
});

/** The installation's own skills. */
export function skillArea(): AdminArea {
  return {
    tag: "Skills",
    description: "Instructions for agents that the installation publishes itself, as `installation.{id}`.",
    routes: [listSkills, postSkill, getSkill, patchSkill, deleteSkill, getAudience],
  };
}
