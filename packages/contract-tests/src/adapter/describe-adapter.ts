import { createProofChecker, createProofSigner, generateEs256KeyPair } from "@authz/dpop";
import { afterAll, beforeAll, describe } from "vitest";
import { describeApprovedCalls } from "./approved-calls.js";
import { describeAuthorizedRequests } from "./authorized-requests.js";
import type { AdapterTraits, StartAdapter } from "./contract-app.js";
import { describeKeyRotation } from "./key-rotation.js";
import { describePublishedRoutes } from "./published-routes.js";
import { describeRefusedRequests } from "./refused-requests.js";
import { describeTokenRoute } from "./token-route.js";

/**
 * The table that every adapter passes, over real HTTP: exact answers, and no handler entered without authorization.
 *
 * @param name - the framework and its version
 * @param start - builds the application of `ContractApp` and listens on 127.0.0.1
 */
export function describeAdapter(name: string, start: StartAdapter, traits: AdapterTraits = {}): void {
  describe(`The adapter for ${name}`, () => {
    describeRefusedRequests(start, { guardsUnreadBodies: true, seesForms: true, ...traits });
    describeAuthorizedRequests(start, traits);
    describePublishedRoutes(start);
    describeTokenRoute(start);
    describeApprovedCalls(start);
    describeKeyRotation(start);

    describe("verifying concurrently", () => {
      whileOthersAreChecked();
      describeRefusedRequests(verifyingConcurrently(start), {
        guardsUnreadBodies: true,
        seesForms: true,
        ...traits,
      });
      describeAuthorizedRequests(verifyingConcurrently(start), traits);
    });
  });
}

const atATime = 8;

/** Starts an application whose proofs are verified in threads while others are, as they are in `whileOthersAreChecked`. */
function verifyingConcurrently(start: StartAdapter): StartAdapter {
  return (app) => start({ ...app, options: { ...app.options, verification: "concurrent" } });
}

/** Keeps verifications under way in this process while the tests of the enclosing `describe` run. */
function whileOthersAreChecked(): void {
  const end = new AbortController();
  let running: Promise<void> | undefined;
  beforeAll(async () => {
    const checker = createProofChecker();
    const signer = createProofSigner(await generateEs256KeyPair());
    const request = { method: "GET", url: "https://contracts.example/load" };
    const checkSome = async (): Promise<void> => {
      const proofs = Array.from({ length: atATime }, () => signer.sign(request));
      await Promise.all(proofs.map(async (proof) => checker.checkConcurrently({ ...request, proof })));
    };
    running = (async () => {
      while (!end.signal.aborted) {
        await checkSome();
        await new Promise((resolve) => void setImmediate(resolve));
      }
    })();
  });
  afterAll(async () => {
    end.abort();
    await running;
  });
}
