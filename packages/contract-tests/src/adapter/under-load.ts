import { createProofChecker, createProofSigner, generateEs256KeyPair } from "@authz/dpop";
import { afterAll, beforeAll } from "vitest";
import type { StartAdapter } from "./contract-app.js";

const atATime = 8;

/** Starts an application whose proofs are verified in threads while others are, as they are in `whileOthersAreChecked`. */
export function verifyingConcurrently(start: StartAdapter): StartAdapter {
  return (app) => start({ ...app, options: { ...app.options, verification: "concurrent" } });
}

/** Keeps verifications under way in this process while the tests of the enclosing `describe` run. */
export function whileOthersAreChecked(): void {
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
