import { describe } from "vitest";
import { describeAuthorizedRequests } from "./authorized-requests.js";
import type { AdapterTraits, StartAdapter } from "./contract-app.js";
import { describeKeyRotation } from "./key-rotation.js";
import { describePublishedRoutes } from "./published-routes.js";
import { describeRefusedRequests } from "./refused-requests.js";
import { describeTokenRoute } from "./token-route.js";
import { verifyingConcurrently, whileOthersAreChecked } from "./under-load.js";

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
