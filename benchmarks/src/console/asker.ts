import type { MeasuredRequest } from "./requests.js";

const prefix = "/api/admin/v1";

interface Answer {
  readonly milliseconds: number;
  /** Of a list. */
  readonly items: number | undefined;
}

/** Asks as the console in the administrator's browser would. */
export interface Asker {
  once(request: MeasuredRequest): Promise<Answer>;
  /** Lets the server check the beginning of the trail, so that what was seeded is what it would have stored. */
  checkTrail(): Promise<void>;
  /** The address of the page that is measured, behind those that come before it. */
  toPage(request: MeasuredRequest): Promise<string>;
}

/** @throws {Error} An answer is not what was expected: the installation is not right. */
export async function createAsker(origin: string, cookie: string): Promise<Asker> {
  const { csrfToken } = (await ask("/session")).body as { csrfToken: string };

  async function ask(path: string, body?: unknown, csrf = "") {
    const started = performance.now();
    const answer = await fetch(`${origin}${prefix}${path}`, {
      headers: {
        cookie,
        ...(body !== undefined && { origin, "content-type": "application/json", "x-authz-csrf": csrf }),
      },
      ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const milliseconds = performance.now() - started;
    if (answer.status !== 200) throw new Error(`${path} was answered with ${String(answer.status)}: ${text}`);
    return { milliseconds, body: JSON.parse(text) as unknown };
  }

  return {
    async once({ path, body }) {
      const answer = await ask(path, body, csrfToken);
      return {
        milliseconds: answer.milliseconds,
        items: (answer.body as { items?: unknown[] }).items?.length,
      };
    },
    async checkTrail() {
      const { body } = await ask("/audit-events/verification");
      const { intact, faults } = body as { intact: boolean; faults: readonly unknown[] };
      if (!intact)
        throw new Error(`The trail is not what the server would have stored: ${JSON.stringify(faults[0])}`);
    },
    async toPage({ path, pages = 0 }) {
      let at = path;
      for (let page = 0; page < pages; page += 1) {
        // oxlint-disable-next-line no-await-in-loop -- page after page
        const { nextCursor } = (await ask(at)).body as { nextCursor: string | null };
        if (nextCursor === null) break;
        at = `${path}${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(nextCursor)}`;
      }
      return at;
    },
  };
}
