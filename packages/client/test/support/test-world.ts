import { type AuthzClient, type AuthzClientOptions, createClient, memoryStore } from "../../src/index.js";
import { startTestAuthorizationServer, type TestAuthorizationServer } from "./test-authorization-server.js";
import { githubConnection, type TestConnections } from "./test-connections.js";
import { startTestService, type TestService } from "./test-service.js";

/** A clock that stands still until a test moves it. */
export interface TestClock {
  (): number;
  advance(seconds: number): void;
}

export function testClock(start: number = Date.now()): TestClock {
  let now = start;
  return Object.assign(() => now, {
    advance: (seconds: number) => {
      now += seconds * 1000;
    },
  });
}

/** An authorization server, one registered service, and clients for them. */
export interface TestWorld {
  clock: TestClock;
  server: TestAuthorizationServer;
  service: TestService;
  client(options?: Partial<AuthzClientOptions>): AuthzClient;
  signedIn(options?: Partial<AuthzClientOptions>): Promise<AuthzClient>;
  close(): Promise<void>;
}

export async function startTestWorld(): Promise<TestWorld> {
  const clock = testClock();
  const server = await startTestAuthorizationServer(clock);
  const service = await startTestService(server, { clock });
  const client = (options: Partial<AuthzClientOptions> = {}): AuthzClient =>
    createClient({ issuer: server.origin, store: memoryStore(), clock, ...options });
  const close = async (): Promise<void> => {
    await service.close();
    await server.close();
  };
  return {
    clock,
    server,
    service,
    client,
    signedIn: async (options) => {
      const created = client(options);
      await created.login({ openBrowser: visit });
      return created;
    },
    close,
  };
}

/** A world in which a person is signed in with `ada` and has a GitHub account connected. */
export async function startConnectedWorld(): Promise<
  TestWorld & { readonly ada: AuthzClient; readonly connections: TestConnections }
> {
  const world = await startTestWorld();
  const { connections } = world.server;
  connections.items.push(githubConnection());
  return { ...world, connections, ada: await world.signedIn() };
}

/** What a browser does: follows the redirect back to the client. */
export async function visit(url: string): Promise<void> {
  fetch(url).catch(() => undefined);
}
