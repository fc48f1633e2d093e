import { auditorsAndOwners, ownedOnly } from "../door/access.js";
import { saveSkill } from "../../registry/skill.js";
import type { AdminArea } from "../door/area.js";
import { fromPage, toPageRequest } from "../door/list-query.js";
import { addObjectRoutes, type Reading } from "../door/object-routes.js";
import { audienceReach, loadAudience } from "./audience.js";
import { changedSkill, newSkill, removeSkill } from "./change-skills.js";
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
import { findSkill, showReading, showSkill, showSkillSummary } from "./show-skill.js";

/** The installation's own skills. */
export const skillArea: AdminArea = {
  tag: "Skills",
  description: "Instructions for agents that the installation publishes itself, as `installation.{id}`.",
  async routes(app) {
    app.get(
      "/skills",
      {
        config: { access: auditorsAndOwners },
        schema: {
          summary: "List the installation's own skills",
          querystring: skillQuerySchema,
          response: { 200: skillListSchema },
        },
      },
      async ({ query, admin: { store, caller } }) => {
        const request = { ...toPageRequest(query), within: ownedOnly(caller)?.decidable };
        return fromPage(await store.ownSkills.listPage(request), { query, show: showSkillSummary });
      },
    );

    addObjectRoutes(app, {
      path: "/skills",
      access: auditorsAndOwners,
      params: skillParamsSchema,
      shown: skillSchema,
      find: async (id: string, { store, caller }: Reading) => await findSkill(store, id, caller),
      show: (items) => items.map(showSkill),
      create: {
        summary: "Create a skill",
        errors: ["in_use"],
        body: createSkillSchema,
        idOf: ({ id }) => id,
        save: (written) => async (work) =>
          await saveSkill({ before: undefined, after: newSkill(written) }, work),
        reach: ({ id }, { now }) => audienceReach(id, now),
      },
      read: { summary: "Show a skill" },
      change: {
        summary: "Change a skill",
        body: updateSkillSchema,
        save: (change) => async (before, work) =>
          await saveSkill({ before, after: changedSkill(before, change) }, work),
        reach: (id, { now }) => audienceReach(id, now),
      },
      remove: {
        summary: "Remove a skill",
        run: removeSkill,
        reach: (id, { now }) => audienceReach(id, now),
      },
    });

    app.get(
      "/skills/:id/reading",
      {
        config: { access: auditorsAndOwners, errors: ["not_found"] },
        schema: {
          summary: "Show a skill as an agent reads it",
          description: "A draft as well: it is what agents would read.",
          params: skillParamsSchema,
          response: { 200: skillReadingSchema },
        },
      },
      async ({ params: { id }, admin: { store, context, caller } }) => ({
        text: showReading(await findSkill(store, id, caller), context.config.issuer),
      }),
    );

    app.get(
      "/skills/:id/audience",
      {
        config: { access: auditorsAndOwners, errors: ["not_found"] },
        schema: {
          summary: "Show who can see a skill now",
          params: skillParamsSchema,
          querystring: audienceQuerySchema,
          response: { 200: audienceSchema },
        },
      },
      async ({ params, query, admin: { store, now, caller } }) =>
        await loadAudience(await findSkill(store, params.id, caller), { query, store, now }),
    );
  },
};
