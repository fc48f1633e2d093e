import { administrators, auditors } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import { fromPage, toPageRequest } from "../door/list-query.js";
import { activate, retire, schedule, stageNext } from "./change-keys.js";
import {
  activationSchema,
  keyChangeSchema,
  keyScheduleSchema,
  signingKeyListSchema,
  signingKeyParamsSchema,
  signingKeyQuerySchema,
  signingKeySchema,
} from "./schemas.js";
import { showKey } from "./show-key.js";

/** The keys that the server signs with. */
export const signingKeyArea: AdminArea = {
  tag: "Signing keys",
  description: "The keys that the server signs with, and their rotation.",
  async routes(app) {
    app.get(
      "/signing-keys",
      {
        config: { access: auditors },
        schema: {
          summary: "List signing keys, with what to do about each",
          querystring: signingKeyQuerySchema,
          response: { 200: signingKeyListSchema },
        },
      },
      async ({ query, admin: { store, now } }) => {
        const keys = await store.signingKeys.listPublished(now);
        const page = await store.signingKeys.listPage(toPageRequest(query));
        return fromPage(page, { query, show: (key) => showKey(key, { keys, now }) });
      },
    );

    app.post(
      "/signing-keys",
      {
        config: { access: administrators },
        schema: {
          summary: "Stage a new signing key",
          description: "It is in the key set at once and signs nothing until it is activated.",
          response: { 201: signingKeySchema },
        },
      },
      async ({ admin }) => await stageNext(admin),
    );

    app.post(
      "/signing-keys/:kid/activations",
      {
        config: { access: administrators, preview: true, errors: ["not_found", "in_use"] },
        schema: {
          summary: "Let a staged key sign",
          description:
            "The key before it is retired and stays in the key set until what it signed has expired.",
          params: signingKeyParamsSchema,
          body: keyChangeSchema,
          response: { 200: activationSchema },
        },
      },
      async ({ params: { kid }, body: { emergency }, admin }) => await activate({ kid, emergency }, admin),
    );

    app.post(
      "/signing-keys/:kid/schedules",
      {
        config: { access: administrators, errors: ["not_found", "in_use"] },
        schema: {
          summary: "Have a staged key start signing automatically at some time",
          description:
            "Or, with `null`, no longer automatically. Within ten seconds of that time the server activates it.",
          params: signingKeyParamsSchema,
          body: keyScheduleSchema,
          response: { 200: signingKeySchema },
        },
      },
      async ({ params: { kid }, body: { activatesAt }, admin }) =>
        await schedule({ kid, activatesAt }, admin),
    );

    app.post(
      "/signing-keys/:kid/retirements",
      {
        config: { access: administrators, preview: true, errors: ["not_found", "in_use"] },
        schema: {
          summary: "Withdraw a staged key",
          description: "In an emergency it also takes a retired key out of the key set before its time.",
          params: signingKeyParamsSchema,
          body: keyChangeSchema,
        },
      },
      async ({ params: { kid }, body: { emergency }, admin }) => await retire({ kid, emergency }, admin),
    );
  },
};
