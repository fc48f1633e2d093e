import { liftStop, setStop } from "../../lifecycle/stop.js";
import { notFound } from "../../registry/refusal.js";
import type { Store } from "../../store/store.js";
import type { ListedStop, StopReach, StopTarget } from "../../store/stops.js";
import type { Message } from "../../text/message.js";
import { showClientName } from "../clients/show-client.js";
import { administrators, auditorsAndSupport } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import { fromPage, toPageRequest } from "../door/list-query.js";
import { note } from "../door/note.js";
import { showAs } from "../door/show.js";
import {
  type NewStop,
  newStopSchema,
  type Stop,
  stopListSchema,
  stopParamsSchema,
  stopQuerySchema,
  stopSchema,
} from "./schemas.js";

/** What is stopped, without anything else about it being changed. */
export const stopArea: AdminArea = {
  tag: "Stops",
  description:
    "Stopping one app of a person, all of a person's, an app or a machine for everybody, a service, or everything: nothing is issued, and requests through this server are ended, until it is started again. Sign-ins to the console are exempt.",
  async routes(app) {
    app.get(
      "/stops",
      {
        config: { access: auditorsAndSupport },
        schema: {
          summary: "List what is stopped",
          querystring: stopQuerySchema,
          response: { 200: stopListSchema },
        },
      },
      async ({ query, admin: { store } }) => {
        const { user: userId, client: clientId, service } = query;
        const page = await store.stops.list({ ...toPageRequest(query), userId, clientId, service });
        return fromPage(page, { query, show: showStop });
      },
    );

    app.post(
      "/stops",
      {
        config: { access: administrators, preview: true, errors: ["not_found"] },
        schema: {
          summary: "Stop something",
          description:
            "Takes effect at once, on every process; requests in flight end within about a second. What is stopped already stays as it is.",
          body: newStopSchema,
          response: { 201: stopSchema },
        },
      },
      async ({ body, admin: { change, actor, requestId } }) => {
        let reach: StopReach | undefined;
        return await change(
          async (work) => {
            const target = await findTarget(body, work.store);
            reach = await work.store.stops.reach(target, work.at);
            return showStop(await setStop(target, { ...work, actor, requestId }));
          },
          { notes: async () => describeReach(reach) },
        );
      },
    );

    app.get(
      "/stops/:id",
      {
        config: { access: auditorsAndSupport, errors: ["not_found"] },
        schema: { summary: "Show a stop", params: stopParamsSchema, response: { 200: stopSchema } },
      },
      async ({ params: { id }, admin: { store } }) => showStop(await findStop(id, store)),
    );

    app.delete(
      "/stops/:id",
      {
        config: { access: administrators, preview: true, errors: ["not_found"] },
        schema: {
          summary: "Start something again",
          description: "What began before stays ended: apps are signed in anew.",
          params: stopParamsSchema,
        },
      },
      async ({ params: { id }, admin: { change, actor, requestId } }) => {
        await change(
          async (work) => {
            const stop = await findStop(id, work.store);
            if (!(await liftStop(stop, { ...work, actor, requestId }))) throw notFound("stop");
          },
          { notes: async () => [note("startedAgain", {})] },
        );
      },
    );
  },
};

export function showStop({ client, ...stop }: ListedStop): Stop {
  return showAs(stopSchema)({ ...stop, client: client && showClientName(client) });
}

/** @throws {Refusal} `not_found` */
async function findStop(id: string, { stops }: Pick<Store, "stops">): Promise<ListedStop> {
  const stop = await stops.find(id);
  if (stop === undefined) throw notFound("stop");
  return stop;
}

/** @throws {Refusal} `not_found` */
async function findTarget(wanted: NewStop, store: Store): Promise<StopTarget> {
  if (wanted.kind === "all") return wanted;
  if (wanted.kind === "service") {
    const resource = await store.resources.findByKey(wanted.service);
    if (resource === undefined) throw notFound("resource", { key: wanted.service });
    return { kind: "service", resourceId: resource.id };
  }
  if ("user" in wanted && (await store.users.find(wanted.user)) === undefined) throw notFound("person");
  if ("client" in wanted && (await store.clients.find(wanted.client)) === undefined)
    throw notFound("client", { id: wanted.client });
  if (wanted.kind === "user") return { kind: "user", userId: wanted.user };
  if (wanted.kind === "client") return { kind: "client", clientId: wanted.client };
  return { kind: "app", userId: wanted.user, clientId: wanted.client };
}

function describeReach(reach: StopReach | undefined): readonly Message[] {
  if (reach === undefined) return [];
  const { grants, people, machines, calls } = reach;
  return [
    note("stopEnds", { grants, people }),
    ...(machines > 0 ? [note("stopMachines", { count: machines })] : []),
    ...(calls > 0 ? [note("stopCalls", { count: calls })] : []),
  ];
}
