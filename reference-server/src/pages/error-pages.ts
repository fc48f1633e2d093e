import type { Problem } from "../platform/http/problem.js";
import type { Store } from "../store/store.js";
import { type Frame, type FrameRequest, loadFrame, textsFor } from "./frame.js";
import { renderErrorPage } from "./problem-page.js";

/** Anybody can ask for pages that do not exist: the name is read again after this time only. */
const lifetimeSeconds = 10;

/**
 * Creates the pages for what no route answered. They carry the installation's name also when the database is away,
 * if the server has seen it before.
 */
export function createErrorPages({
  store,
  clock,
}: {
  readonly store: { readonly settings: Pick<Store["settings"], "get"> };
  readonly clock: () => number;
}): (problem: Problem, request: FrameRequest) => Promise<string> {
  let known: Pick<Frame, "installationName" | "logo"> = { installationName: undefined };
  let readAt = Number.NEGATIVE_INFINITY;

  async function readName(): Promise<void> {
    if (clock() - readAt < lifetimeSeconds * 1000) return;
    readAt = clock();
    try {
      const { installationName, logo } = await loadFrame({ headers: {} }, store);
      known = { installationName, logo };
    } catch {
      // The page is about another problem, or about this one already.
    }
  }

  return async (problem, request) => {
    if (problem.status !== 503) await readName();
    return renderErrorPage(problem, { ...known, texts: textsFor(request) });
  };
}
