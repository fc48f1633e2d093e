import { defineRoute } from "../http/define-route.js";
import { fromPage, toPageRequest } from "../http/list-query.js";
import type { AdminArea } from "../http/route.js";
import { activate, retire, stageNext } from "./change-keys.js";
import {
  activationSchema,
  keyChangeSchema,
  signingKeyListSchema,
  signingKeyParamsSchema,
  signingKeyQuerySchema,
  signingKeySchema,
} from "./schemas.js";
import { showKey } from "./show-key.js";

const listKeys = defineRoute({
  method: "GET",
  path: "/signing-keys",
  summary: "List signing keys, with what to do about each",
  query: signingKeyQuerySchema,
  answer: signingKeyListSchema,
  handle: async ({ query }, { store, now }) => {
    const keys = await store.signingKeys.listPublished(now);
    const page = await store.signingKeys.listPage(toPageRequest(query));
    return fromPage(page, { query, show: (key) => showKey(key, { keys, now }) });
  },
});

const postKey = defineRoute({
  method: "POST",
  path: "/signing-keys",
  summary: "Stage a new signing key",
  description: "It is in the key set at once and signs nothing until it is activated.",
  status: 201,
  answer: signingKeySchema,
  handle: (_input, call) => stageNext(call),
});

const postActivation = defineRoute({
  method: "POST",
  path: "/signing-keys/{kid}/activations",
  summary: "Let a staged key sign",
  description: "The key before it is retired and stays in the key set until what it signed has expired.",
  preview: true,
  params: signingKeyParamsSchema,
  body: keyChangeSchema,
  answer: activationSchema,
  errors: ["not_found", "in_use"],
  handle: ({ params: { kid }, body: { emergency } }, call) => activate({ kid, emergency }, call),
});

const postRetirement = defineRoute({
  method: "POST",
  path: "/signing-keys/{kid}/retirements",
  summary: "Withdraw a staged key",
  description: "In an emergency it also takes a retired key out of the key set before its time.",
  preview: true,
  params: signingKeyParamsSchema,
  body: keyChangeSchema,
  errors: ["not_found", "in_use"],
  handle: ({ params: { kid }, body: { emergency } }, call) => retire({ kid, emergency }, call),
});

/** The keys that the server signs with. */
export function signingKeyArea(): AdminArea {
  return {
    tag: "Signing keys",
    description: "The keys that the server signs with, and their rotation.",
    routes: [listKeys, postKey, postActivation, postRetirement],
  };
}
