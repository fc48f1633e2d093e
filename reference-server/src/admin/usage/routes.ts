import { auditorsAndOwners, requireSeenService } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import { loadDenials } from "./load-denials.js";
import { loadHealth } from "./load-health.js";
import { loadRanking } from "./load-ranking.js";
import { loadSkillUsage, loadUsage } from "./load-usage.js";
import { usageWithin } from "./question.js";
import {
  healthListSchema,
  skillUsageQuerySchema,
  skillUsageSchema,
  usageDenialsQuerySchema,
  usageDenialsSchema,
  usageQuerySchema,
  usageRankingQuerySchema,
  usageRankingSchema,
  usageSchema,
} from "./schemas.js";

/** Which app used what for whom, how often, and what was refused. */
export const usageArea: AdminArea = {
  tag: "Usage",
  description:
    "Which app used which service for whom, how often, and what was refused, in the last 24 hours to 90 days.",
  async routes(app) {
    app.get(
      "/usage",
      {
        config: { access: auditorsAndOwners },
        schema: {
          summary: "Count uses over time",
          description:
            "Counts are kept while events are sealed; `countedThrough` says up to when, a few seconds ago.",
          querystring: usageQuerySchema,
          response: { 200: usageSchema },
        },
      },
      async ({ query, admin: { store, now, caller } }) => await loadUsage(query, { store, now, caller }),
    );

    app.get(
      "/usage/ranking",
      {
        config: { access: auditorsAndOwners },
        schema: {
          summary: "List what was used most, or who used most",
          querystring: usageRankingQuerySchema,
          response: { 200: usageRankingSchema },
        },
      },
      async ({ query, admin: { store, now, caller } }) => await loadRanking(query, { store, now, caller }),
    );

    app.get(
      "/usage/skill",
      {
        config: { access: auditorsAndOwners },
        schema: {
          summary: "Count how often a skill was read over time",
          description:
            "Reads are counted by the hour and by skill, not by person; they are a few seconds old.",
          querystring: skillUsageQuerySchema,
          response: { 200: skillUsageSchema },
        },
      },
      async ({ query, admin: { store, now, caller } }) => {
        const [publisher = ""] = query.skill.split(".");
        requireSeenService(caller, publisher);
        return await loadSkillUsage(query, store, now);
      },
    );

    app.get(
      "/usage/denials",
      {
        config: { access: auditorsAndOwners },
        schema: {
          summary: "List what was refused, by person, permission and service",
          description:
            "A request for several permissions counts for each of them. `GET /explain` says what is missing, and what can be done about it.",
          querystring: usageDenialsQuerySchema,
          response: { 200: usageDenialsSchema },
        },
      },
      async ({ query, admin: { store, now, language, caller } }) =>
        await loadDenials(query, { store, now, language, caller }),
    );

    app.get(
      "/service-health",
      {
        config: { access: auditorsAndOwners },
        schema: {
          summary: "Say which services and connectors answer",
          description:
            "From what came of the last attempts: fetched skills, and requests that went through this server. Nothing is contacted for this.",
          response: { 200: healthListSchema },
        },
      },
      async ({ admin: { store, caller } }) => await loadHealth(store, usageWithin(caller)),
    );
  },
};
