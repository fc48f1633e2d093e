import { auditors } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import { loadOverview } from "./load-overview.js";
import { overviewSchema } from "./schemas.js";

/** The first page of the console. */
export const overviewArea: AdminArea = {
  tag: "Overview",
  description: "The state of the installation at a glance.",
  async routes(app) {
    app.get(
      "/overview",
      {
        config: { access: auditors },
        schema: {
          summary: "Show the state of the installation",
          description:
            "Counts are kept while events are sealed; `countedThrough` says up to when, a few seconds ago.",
          response: { 200: overviewSchema },
        },
      },
      async ({ admin: { context, now } }) => await loadOverview(context, now),
    );
  },
};
