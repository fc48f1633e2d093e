import type { ServerResponse } from "node:http";
import { oauthError, type SeenRequest, type TestAnswer } from "./test-http.js";

/** A connection as the server lists it. */
export interface TestConnection {
  connector: string;
  name: string;
  kind: string;
  state: string;
  reason?: string;
  account?: { label: string };
  grantedScopes: string[];
  offeredScopes: { scope: string; description: string | null; required: boolean; byDefault: boolean }[];
  requestPrefixes: string[];
  requestHeaders: string[];
  methods: string[];
  requiredScopes: string[];
  missingScopes: string[];
  requestable?: boolean;
  request?: object;
  connectedAt?: string;
  lastUsedAt?: string;
}

interface TestAttempt {
  id: string;
  connector: string;
  scopes: string[] | undefined;
  state: string;
  error?: string;
  error_description?: string;
}

/** The connections of the test server's person, and what a test may change about them. */
export interface TestConnections {
  items: TestConnection[];
  attempts: TestAttempt[];
  /** What was sent on, as the server got it. */
  forwarded: SeenRequest[];
  revocation: string;
  attemptSeconds: number;
  /** What a visit to the address of an attempt leads to. */
  onVisit: (attempt: TestAttempt) => void;
  /** Refuses the next request instead of sending it on. */
  refuseNext: { status: number; error: string; type?: string; [more: string]: unknown } | undefined;
  /** The third party. Its answer gets a `Proxy-Status`. */
  thirdParty: (request: SeenRequest, response: ServerResponse) => TestAnswer | undefined;
  answer(request: SeenRequest, response: ServerResponse): TestAnswer | undefined;
  /** A page of the server that a browser visits. */
  visit(id: string): TestAnswer;
}

/** A connection to GitHub that works. */
export function githubConnection(changes: Partial<TestConnection> = {}): TestConnection {
  return {
    connector: "github",
    name: "GitHub",
    kind: "github",
    state: "connected",
    account: { label: "ada-l" },
    grantedScopes: ["repo"],
    offeredScopes: [
      { scope: "repo", description: "Read and write repositories", required: true, byDefault: true },
      { scope: "gist", description: null, required: false, byDefault: true },
      { scope: "read:org", description: "Read organisations", required: false, byDefault: false },
    ],
    requestPrefixes: ["https://api.github.example/repos", "https://api.github.example/user"],
    requestHeaders: ["accept", "content-type", "user-agent", "x-github-api-version"],
    methods: ["GET", "HEAD", "POST"],
    requiredScopes: ["github:use"],
    missingScopes: [],
    connectedAt: "2026-11-20T10:00:00.000Z",
    ...changes,
  };
}

export function createTestConnections(server: { origin: string }, clock: () => number): TestConnections {
  const connections: TestConnections = {
    items: [],
    attempts: [],
    forwarded: [],
    revocation: "confirmed",
    attemptSeconds: 600,
    onVisit: (attempt) => {
      attempt.state = "connected";
    },
    refuseNext: undefined,
    thirdParty: (request) => ({
      status: 200,
      body: { target: request.headers["authz-target"], method: request.method, body: request.body },
    }),
    answer,
    visit: (id) => {
      const attempt = connections.attempts.find((candidate) => candidate.id === id);
      if (attempt === undefined) return { status: 404, body: "Nothing here." };
      connections.onVisit(attempt);
      const item = connections.items.find(({ connector }) => connector === attempt.connector);
      if (item !== undefined && attempt.state === "connected") {
        item.state = "connected";
        item.account = { label: "ada-l" };
        item.grantedScopes = attempt.scopes ?? ["repo", "gist"];
        delete item.reason;
      }
      return { status: 200, body: "Go back to your terminal." };
    },
  };

  function answer(request: SeenRequest, response: ServerResponse): TestAnswer | undefined {
    const [, , , , key, part, id] = request.path.split("/");
    if (key === undefined) return { status: 200, body: { items: connections.items } };
    const item = connections.items.find(({ connector }) => connector === key);
    if (item === undefined) return oauthError(404, "not_found");
    if (part === "requests") return forward(request, response);
    if (part === "attempts") return id === undefined ? begin(request, item) : attemptDocument(id);
    return request.method === "DELETE" ? disconnect(item) : { status: 200, body: item };
  }

  function begin(request: SeenRequest, item: TestConnection): TestAnswer {
    if (item.missingScopes.length > 0)
      return {
        status: 403,
        body: { error: "insufficient_scope", error_description: "No.", scope: item.missingScopes.join(" ") },
      };
    if (item.state === "disconnecting") return oauthError(409, "disconnecting");
    const { scopes } = JSON.parse(request.body) as { scopes?: string[] };
    const id = `attempt-${String(connections.attempts.length + 1)}`;
    connections.attempts.push({ id, connector: item.connector, scopes, state: "pending" });
    const expiresAt = new Date(clock() + connections.attemptSeconds * 1000).toISOString();
    return { status: 201, body: { id, url: `${server.origin}/connections/${id}`, expiresAt } };
  }

  function attemptDocument(id: string): TestAnswer {
    const found = connections.attempts.find((candidate) => candidate.id === id);
    return found === undefined ? oauthError(404, "not_found") : { status: 200, body: found };
  }

  function disconnect(item: TestConnection): TestAnswer {
    if (item.state === "not_connected") return oauthError(404, "not_connected");
    item.state = "not_connected";
    delete item.account;
    item.grantedScopes = [];
    return { status: 200, body: { revocation: connections.revocation } };
  }

  function forward(request: SeenRequest, response: ServerResponse): TestAnswer | undefined {
    const refused = connections.refuseNext;
    if (refused !== undefined) {
      connections.refuseNext = undefined;
      const { status, type = "http_request_denied", headers = {}, ...body } = refused;
      return {
        status,
        headers: { ...(headers as object), "proxy-status": `authz; error=${type}` },
        body: { error_description: "The test says so.", sent: "no", ...body },
      };
    }
    connections.forwarded.push(request);
    const received = connections.thirdParty(request, response);
    if (received === undefined) return undefined;
    const status = `authz; received-status=${String(received.status)}`;
    return { ...received, headers: { ...received.headers, "proxy-status": status } };
  }

  return connections;
}
