import { fault } from "../../objects/check.js";
import { invalid } from "../../registry/refusal.js";
import type { ServerContext } from "../../context.js";
import {
  applyStatus,
  changeStream,
  findSignalStream,
  insertStream,
  prepareStream,
  pushAtTransmitter,
  pushUrlOf,
  refusing,
  removeAtTransmitter,
  replaceCredential,
} from "../../signals/manage-streams.js";
import { verifyStream } from "../../signals/request-verification.js";
import { failureOf, healthOf } from "../../signals/stream-health.js";
import { openManagedStream } from "../../signals/stream-token.js";
import type { ListedSignalStream } from "../../store/signal-streams.js";
import { administrators, auditors } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import { isoTime } from "../door/list-query.js";
import { addObjectRoutes, type Reading } from "../door/object-routes.js";
import { showAs } from "../door/show.js";
import {
  createSignalStreamInputs,
  signalStreamParamsSchema,
  signalStreamQuerySchema,
  signalStreamSchema,
  streamCredentialSchema,
  streamTestSchema,
} from "./schemas.js";

/** Streams of security events from identity providers. */
export const signalStreamArea: AdminArea = {
  tag: "Signal streams",
  description:
    "Streams of security events from identity providers (OpenID Shared Signals Framework 1.0, CAEP, RISC).",
  async routes(app, options) {
    const { create, patch } = createSignalStreamInputs(options);

    addObjectRoutes(app, {
      path: "/signal-streams",
      access: auditors,
      params: signalStreamParamsSchema,
      shown: signalStreamSchema,
      find: async (key: string, { store }: Reading) => await findSignalStream(store, key),
      show: showStreams,
      list: {
        summary: "List streams of security events",
        query: signalStreamQuerySchema,
        load: async (request, _filters, { store }) => await store.signalStreams.list(request),
      },
      create: {
        summary: "Add a stream of security events",
        description:
          "Reads the transmitter's metadata, and creates the stream there with the token, or takes the one whose `streamId` is given. A stream that exists and is pushed gets its credential by `POST /signal-streams/{key}/credentials`.",
        body: create,
        idOf: ({ key }) => key,
        async save(wanted, { context }) {
          const stream = await prepareStream(wanted, sourcesOf(context));
          return async (work) => await insertStream(stream, work);
        },
      },
      read: { summary: "Show a stream of security events" },
      change: {
        summary: "Change a stream of security events",
        description:
          "Pausing and resuming is asked of the transmitter, too, if there is a token: a transmitter that is away does not keep it from being paused here.",
        body: patch,
        async save(change, { context, store }, key) {
          await applyStatus(await findSignalStream(store, key), change, sourcesOf(context));
          return async (before, work) => await changeStream({ before, change }, work);
        },
      },
      remove: {
        summary: "Remove a stream of security events",
        description:
          "The transmitter is asked to remove it, too, if there is a token. What it still sends is refused.",
        run: async ({ key }, { store, audit }) => {
          await store.signalStreams.remove(key);
          await audit({ type: "signal_stream.removed", data: { key } });
        },
        after: async (stream, { context }) => await removeAtTransmitter(stream, sourcesOf(context)),
      },
    });

    app.post(
      "/signal-streams/:key/credentials",
      {
        config: { access: administrators, errors: ["not_found"] },
        schema: {
          summary: "Replace the credential of a stream that is pushed",
          description:
            "The transmitter has to present it from now on. It is told, if there is a token; otherwise enter it there. It is shown once.",
          params: signalStreamParamsSchema,
          response: { 201: streamCredentialSchema },
        },
      },
      async ({ params: { key }, admin: { change, context } }) => {
        const { stream, credential } = await change(async (work) => {
          const found = await findSignalStream(work.store, key);
          if (found.delivery === "poll") throw invalid(fault("", "streamIsPolled"));
          return { stream: found, credential: await replaceCredential(found, work) };
        });
        const url = pushUrlOf(context.config.issuer, stream);
        const atTransmitter = await pushAtTransmitter(stream, { url, credential }, sourcesOf(context));
        return { pushUrl: url, authorizationHeader: `Bearer ${credential}`, atTransmitter };
      },
    );

    app.post(
      "/signal-streams/:key/tests",
      {
        config: { access: administrators, errors: ["not_found"] },
        schema: {
          summary: "Test a stream of security events",
          description:
            "Asks the transmitter for a verification event. It comes like every other event: look at the stream after a few seconds.",
          params: signalStreamParamsSchema,
          response: { 202: streamTestSchema },
        },
      },
      async ({ params: { key }, admin: { change, context, store, now } }) => {
        const stream = await findSignalStream(store, key);
        await refusing("", async () => {
          const managed = await openManagedStream(stream, sourcesOf(context));
          if (managed === undefined) throw invalid(fault("token", "transmitterTokenMissing"));
          await verifyStream(stream, managed, { store, at: now });
        });
        await change(({ audit }) => audit({ type: "signal_stream.tested", data: { key } }));
        return { requestedAt: isoTime(now) };
      },
    );
  },
};

function sourcesOf({ store, credentials, config, outboundFetch, log }: ServerContext) {
  const { issuer, allowInsecureLoopback } = config;
  return { store, credentials, issuer, client: { outboundFetch, allowInsecureLoopback }, log };
}

function showStreams(streams: readonly ListedSignalStream[], { now, context }: Reading) {
  return streams.map((stream) => {
    const { token, credentialHash, delivery, counts } = stream;
    return showAs(signalStreamSchema)({
      ...stream,
      hasToken: token !== null,
      hasCredential: credentialHash !== null,
      pushUrl: delivery === "push" ? pushUrlOf(context.config.issuer, stream) : null,
      health: healthOf(stream, now),
      failure: failureOf(stream, now),
      counts: {
        acted: counts.acted ?? 0,
        withoutEffect: counts.without_effect ?? 0,
        unknownSubject: counts.unknown_subject ?? 0,
        unknownEvent: counts.unknown_event ?? 0,
        stale: counts.stale ?? 0,
        repeated: counts.repeated ?? 0,
        refused: counts.refused ?? 0,
      },
    });
  });
}
