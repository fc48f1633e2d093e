import type { AdminArea } from "../door/area.js";
import { fromPage, toPageRequest } from "../door/list-query.js";
import { audienceReach, loadAudience } from "./audience.js";
import { createSkill, removeSkill, updateSkill } from "./change-skills.js";
import {
  audienceQuerySchema,
  audienceSchema,
  createSkillSchema,
  skillListSchema,
  skillParamsSchema,
  skillQuerySchema,
  skillReadingSchema,
  skillSchema,
  updateSkillSchema,
} from "./schemas.js";
import { loadReading, loadSkill, showSkillSummary } from "./show-skill.js";

/** The installation's own skills. */
export const skillArea: AdminArea = {
  tag: "Skills",
  description: "Instructions for agents that the installation publishes itself, as `installation.{id}`.",
  async routes(app) {
    app.get(
      "/skills",
      {
        schema: {
          summary: "List the installation's own skills",
          querystring: skillQuerySchema,
          response: { 200: skillListSchema },
        },
      },
      async ({ query, admin: { store } }) =>
        fromPage(await store.ownSkills.listPage(toPageRequest(query)), { query, show: showSkillSummary }),
    );

    app.post(
      "/skills",
      {
        config: { preview: true, errors: ["already_exists", "in_use"] },
        schema: { summary: "Create a skill", body: createSkillSchema, response: { 201: skillSchema } },
      },
      async ({ body, admin: { change, now } }) =>
        await change((work) => createSkill(body, work), audienceReach(body.id, now)),
    );

    app.get(
      "/skills/:id",
      {
        config: { errors: ["not_found"] },
        schema: { summary: "Show a skill", params: skillParamsSchema, response: { 200: skillSchema } },
      },
      async ({ params, admin: { store } }) => await loadSkill(store, params.id),
    );

    app.patch(
      "/skills/:id",
      {
        config: { ifMatch: true, preview: true, errors: ["not_found"] },
        schema: {
          summary: "Change a skill",
          params: skillParamsSchema,
          body: updateSkillSchema,
          response: { 200: skillSchema },
        },
      },
      async ({ params: { id }, body, admin: { change, now, version } }) =>
        await change((work) => updateSkill({ id, change: body, version }, work), audienceReach(id, now)),
    );

    app.delete(
      "/skills/:id",
      {
        config: { ifMatch: true, preview: true, errors: ["not_found"] },
        schema: { summary: "Remove a skill", params: skillParamsSchema },
      },
      async ({ params: { id }, admin: { change, now, version } }) =>
        await change((work) => removeSkill({ id, version }, work), audienceReach(id, now)),
    );

    app.get(
      "/skills/:id/reading",
      {
        config: { errors: ["not_found"] },
        schema: {
          summary: "Show a skill as an agent reads it",
          description: "A draft as well: it is what agents would read.",
          params: skillParamsSchema,
          response: { 200: skillReadingSchema },
        },
      },
      async ({ params: { id }, admin: { store, context } }) => ({
        text: await loadReading(store, { id, issuer: context.config.issuer }),
      }),
    );

    app.get(
      "/skills/:id/audience",
      {
        config: { errors: ["not_found"] },
        schema: {
          summary: "Show who can see a skill now",
          params: skillParamsSchema,
          querystring: audienceQuerySchema,
          response: { 200: audienceSchema },
        },
      },
      async ({ params, query, admin: { store, now } }) =>
        await loadAudience(await loadSkill(store, params.id), { query, store, now }),
    );
  },
};
