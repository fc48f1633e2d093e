import { createTestIssuer, type RequestToSign, type SignedHeaders, type TestIssuer } from "@authz/testing";
import type { AuthzOptions } from "@authz/verify";
import { afterAll, beforeAll } from "vitest";
import type { ContractApp, RunningApp, StartAdapter } from "./contract-app.js";
import { type RawRequest, type RawResponse, sendRaw } from "./raw-request.js";

/** The public origin of the application under test. It differs from where it listens, as behind a proxy. */
export const publicOrigin = "https://contracts.example";

/** One running application with its issuer and everything a row needs. */
export interface Fixture {
  readonly issuer: TestIssuer;
  /** Handlers entered since the last call. */
  takeEntered(): string[];
  send(request: RawRequest): Promise<RawResponse>;
  /** Changes what a person would have to approve; "none": nothing. */
  changeDetails(to?: "none"): void;
  /** Makes the service's clock throw: an error that has nothing to do with authorization. */
  breakClock(broken: boolean): void;
  close(): Promise<void>;
}

/** How an application differs from the regular one. */
export interface Variation {
  readonly options?: Partial<AuthzOptions>;
  readonly resource?: string;
  readonly bodyParsers?: boolean;
  readonly guardEverything?: boolean;
  /** Answers instead of the issuer's token status list. */
  readonly statusList?: () => Promise<Response>;
  /** Answers instead of the issuer's transaction authorization endpoint. */
  readonly approvals?: () => Promise<Response>;
}

/** Starts an application with its own issuer. */
export async function startFixture(start: StartAdapter, variation: Variation = {}): Promise<Fixture> {
  const issuer = await createTestIssuer({
    publicOrigin,
    supportedScopes: ["contracts:read", "contracts:write", "contracts:delete"],
    ...(variation.resource !== undefined && { resource: variation.resource }),
  });
  let entered: string[] = [];
  let needsApproval = true;
  let revision = 1;
  let clockIsBroken = false;
  const clock = (): number => {
    if (clockIsBroken) throw new Error("The clock is broken.");
    return Date.now();
  };
  const app: ContractApp = {
    issuer: issuer.url,
    options: {
      ...issuer.options,
      ...(variation.approvals && {
        fetch: withAnswer(issuer, "/api/oauth/transaction", variation.approvals),
      }),
      ...(variation.statusList && { fetch: withAnswer(issuer, "/oauth/status", variation.statusList) }),
      clock,
      ...variation.options,
    },
    bodyParsers: variation.bodyParsers ?? false,
    guardEverything: variation.guardEverything ?? false,
    entered: (path) => void entered.push(path),
    need: (location) =>
      needsApproval && {
        type: "payment",
        actions: ["pay"],
        locations: [`${location}#${revision}`],
        reason: "Payments cannot be undone.",
      },
  };
  const running: RunningApp = await start(app);
  return {
    issuer,
    takeEntered() {
      const taken = entered;
      entered = [];
      return taken;
    },
    send: (request) => sendRaw(running.port, request),
    changeDetails(to) {
      needsApproval = to !== "none";
      revision += 1;
    },
    breakClock(broken) {
      clockIsBroken = broken;
    },
    async close() {
      await running.close();
      await issuer.close();
    },
  };
}

function withAnswer({ url, fetch }: TestIssuer, path: string, answer: () => Promise<Response>): typeof fetch {
  return (input, init) => (input === url + path ? answer() : fetch(input, init));
}

export type HeaderLine = readonly [name: string, value: string];

/** `Authorization`, then `DPoP`. */
export type SignedLines = readonly [HeaderLine, HeaderLine];

/** Runs one application for all tests of the enclosing `describe`. */
export function withFixture(start: StartAdapter, variation?: Variation): () => Fixture {
  let fixture: Fixture | undefined;
  beforeAll(async () => {
    fixture = await startFixture(start, variation);
  });
  afterAll(() => fixture?.close());
  return () => {
    if (fixture === undefined) throw new Error("The application runs only while tests do.");
    return fixture;
  };
}

/** The type of a token request. */
export const formType: HeaderLine = ["Content-Type", "application/x-www-form-urlencoded"];

/** The body of a token request. */
export function redemptionOf(assertion: string): string {
  const grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer";
  return new URLSearchParams({ grant_type: grantType, assertion }).toString();
}

/** The header lines of a signed request. */
export function headerLines({ authorization, dpop }: SignedHeaders): SignedLines {
  return [
    ["Authorization", authorization],
    ["DPoP", dpop],
  ];
}

/** A valid request for one path. */
export async function signed(fixture: Fixture, request: RequestToSign): Promise<RawRequest> {
  return {
    ...(request.method !== undefined && { method: request.method }),
    target: request.url,
    headers: headerLines(await fixture.issuer.signRequest(request)),
  };
}
