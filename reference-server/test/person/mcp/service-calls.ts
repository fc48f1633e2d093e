import { generateEs256KeyPair, inMemory, initAuthz } from "@authz/fastify";
import fastify from "fastify";
import type { Caller } from "../../../src/oauth/tokens/identify-caller.js";
import {
  type CallService,
  createCallService,
  type ServiceRequest,
} from "../../../src/person/service-calls/call-service.js";
import { createHeldCallApproval } from "../../../src/approvals/held-calls.js";
import { recordAudit } from "../../../src/audit/record.js";
import { createForwarder, type OpenForwarder } from "../../../src/forwarding/forwarder.js";
import { UseRefusal } from "../../../src/forwarding/use-refusal.js";
import { loadPermissions } from "../../../src/permissions/load-permissions.js";
import type { Server } from "../../../src/server.js";
import type { Resource } from "../../../src/store/resources.js";
import { type RecordingApi, startRecordingApi } from "../../connectors/use/forwarding.js";
import { Device } from "../../support/device.js";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";
import { findFreePort } from "../../../../tools/src/network/ports.js";

/** A process that calls services. */
interface CallingProcess {
  readonly server: Server;
  readonly call: CallService;
  readonly forwarder: OpenForwarder;
}

interface ServiceAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
}

/** Two processes of a server, a service that is built with the SDK, one that keeps account of bytes, and Ada with an app. */
export interface ServiceCalling {
  readonly system: OauthServer;
  readonly first: CallingProcess;
  readonly second: CallingProcess;
  /** Built with the SDK. */
  readonly origin: string;
  readonly contracts: Resource;
  /** Answers what a test wants. */
  readonly api: RecordingApi;
  readonly plain: Resource;
  readonly clientId: string;
  /** Ada and her app as they are now. */
  readonly caller: () => Promise<Caller>;
  /** What Ada's app asks for, unless a test wants something else. */
  readonly request: (change?: Partial<ServiceRequest>) => Promise<ServiceRequest>;
  /** Sends it and reads the answer. */
  readonly send: (change?: Partial<ServiceRequest>, process?: CallingProcess) => Promise<ServiceAnswer>;
  /** Why it is refused. */
  readonly refused: (change?: Partial<ServiceRequest>, process?: CallingProcess) => Promise<UseRefusal>;
  readonly close: () => Promise<void>;
}

export async function startServiceCalling(): Promise<ServiceCalling> {
  const system = await startOauthServer();
  await system.startSecondInstance();
  const [api, service] = await Promise.all([startRecordingApi(), startService(system.issuer)]);
  const { store } = system.server.context;
  const { origin } = service;
  const contracts = {
    ...system.resource,
    resource: origin,
    authorizationServer: origin,
    requestPrefixes: [`${origin}/contracts`],
  };
  await store.resources.save(contracts, new Date());
  const plain = {
    ...system.resource,
    id: crypto.randomUUID(),
    key: "plain",
    name: "Plain",
    resource: api.origin,
    authorizationServer: api.origin,
    requestPrefixes: [`${api.origin}/v1`],
    requestHeaders: ["x-agent"],
  };
  await store.resources.save(plain, new Date());
  const { grantId, clientId } = await signIn(system);
  const processes = await Promise.all(system.instances.map(openProcess));
  const [first, second] = processes as [CallingProcess, CallingProcess];

  async function caller(): Promise<Caller> {
    const grant = await store.grants.find(grantId);
    const user = await store.users.find(grant?.userId ?? "");
    const client = await store.clients.find(clientId);
    if (grant === undefined || user === undefined || client === undefined)
      throw new Error("Ada is not there.");
    const permissions = await loadPermissions(user, system.server.context);
    return { user, grant, clientId, permissions, client };
  }

  async function request(change: Partial<ServiceRequest> = {}): Promise<ServiceRequest> {
    return {
      caller: change.caller ?? (await caller()),
      method: "GET",
      url: `${origin}/contracts`,
      headers: [],
      body: undefined,
      scopes: undefined,
      requestId: "r-1",
      // Every one of them, however many a test makes.
      refusals: { admit: async () => true, record: recordAudit },
      signal: new AbortController().signal,
      ...change,
    };
  }

  return {
    system,
    first,
    second,
    origin,
    contracts,
    api,
    plain,
    clientId,
    caller,
    request,
    async send(change, process = first) {
      const { status, headers, body } = await process.call(await request(change));
      const chunks: Buffer[] = [];
      if (body !== null) for await (const chunk of body as AsyncIterable<Buffer>) chunks.push(chunk);
      return { status, headers, body: Buffer.concat(chunks).toString() };
    },
    async refused(change, process = first) {
      try {
        await process.call(await request(change));
      } catch (error) {
        if (error instanceof UseRefusal) return error;
        throw error;
      }
      throw new Error("It was not refused.");
    },
    async close() {
      for (const { forwarder } of processes) await forwarder.close();
      await system.close();
      await service.close();
      await api.close();
    },
  };
}

async function openProcess(server: Server): Promise<CallingProcess> {
  const askForApproval = createHeldCallApproval(server.context);
  const forwarder = createForwarder({ ...server.context, askForApproval });
  return { server, forwarder, call: await createCallService(server.context, forwarder) };
}

async function startService(issuer: string): Promise<{ origin: string; close(): Promise<void> }> {
  const origin = `http://127.0.0.1:${await findFreePort()}`;
  const authz = initAuthz(issuer, {
    resource: origin,
    publicOrigin: origin,
    clientId: "authz-cli",
    supportedScopes: ["contracts:read", "contracts:write"],
    signingKey: { kid: "service-1", ...(await generateEs256KeyPair()) },
    replayStore: inMemory(),
    allowInsecureLoopback: true,
  });
  const service = fastify();
  authz.registerRoutes(service);
  const read = { onRequest: authz.requireAuth({ scopes: ["contracts:read"] }) };
  const write = { onRequest: authz.requireAuth({ scopes: ["contracts:write"] }) };
  service.get("/contracts", read, (request) => request.auth);
  service.post("/contracts", write, (request) => ({ body: request.body }));
  await service.listen({ port: Number(new URL(origin).port), host: "127.0.0.1" });
  return { origin, close: () => service.close() };
}

async function signIn(system: OauthServer): Promise<{ grantId: string; clientId: string }> {
  const { access_token: token } = await (await Device.create(system.issuer)).signIn("ada");
  const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as {
    sid: string;
    client_id: string;
  };
  return { grantId: claims.sid, clientId: claims.client_id };
}
