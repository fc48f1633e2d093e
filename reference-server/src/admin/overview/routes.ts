import { defineRoute } from "../http/define-route.js";
import type { AdminArea } from "../http/route.js";
import { loadOverview } from "./load-overview.js";
import { overviewSchema } from "./schemas.js";

const getOverview = defineRoute({
  method: "GET",
  path: "/overview",
  summary: "Show the state of the installation",
  description:
    "Counts are kept while events are sealed; `countedThrough` says up to when, a few seconds ago.",
  answer: overviewSchema,
  handle: (_input, { context, now }) => loadOverview(context, now),
});

/** The first page of the console. */
export function overviewArea(): AdminArea {
  return {
    tag: "Overview",
    description: "The state of the installation at a glance.",
    routes: [getOverview],
  };
}
