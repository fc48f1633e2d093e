import type { ApprovalNeed } from "@authz/verify";
import type { ContractApp } from "@authz/contract-tests";
import { readDescription } from "./service-description.js";

/** The application of the contract tests in a process of its own, which asks the process of the tests for the rest. */
export interface RemoteContract {
  readonly contract: ContractApp;
  /** The tests know of every handler entered so far. */
  readonly reported: () => Promise<void>;
}

/** Makes functions of a description again. */
export function connectContract(written: string): RemoteContract {
  const { bridge, options, ...description } = readDescription(written);
  async function ask(path: string, question: unknown): Promise<Response> {
    const answer = await fetch(`${bridge}${path}`, { method: "POST", body: JSON.stringify(question) });
    if (!answer.ok) throw new TypeError(`The tests answered ${answer.status} to ${path}.`);
    return answer;
  }

  let reports: Promise<unknown>[] = [];
  return {
    contract: {
      ...description,
      options: {
        ...options,
        fetch: async (input, { method = "GET", body } = {}) => {
          const url = input instanceof Request ? input.url : String(input);
          const posted = body instanceof URLSearchParams && {
            body: body.toString(),
            headers: { "content-type": "application/x-www-form-urlencoded" },
          };
          const answer = await ask("/fetch", { url, method, ...posted });
          const { text, ...head } = (await answer.json()) as { text: string } & ResponseInit;
          return new Response(text, head);
        },
        replayStore: {
          consume: async (record) => (await (await ask("/consume", record)).json()) as boolean,
        },
      },
      need: async (path) => (await (await ask("/need", path)).json()) as ApprovalNeed,
      entered: (path) => void reports.push(ask("/entered", path)),
    },
    async reported() {
      await Promise.all(reports);
      reports = [];
    },
  };
}
