import { describe, expect, test } from "vitest";
import { createErrorPages } from "../../src/pages/problem-page.js";
import type { Settings } from "../../src/store/settings.js";

const problem = { status: 404, error: "not_found", description: "For programs.", requestId: "r1" };

/** The pages of an installation whose database answers, or does not. */
function errorPages(get: () => Promise<Settings>, clock = () => 0) {
  return createErrorPages({ store: { settings: { get } }, clock });
}

function refuse(): Promise<never> {
  return Promise.reject(new Error("away"));
}

const acme = async () => ({
  installationName: "Acme",
  instructions: null,
  logo: null,
  appTrust: "listed" as const,
  dynamicRegistration: false,
  breakGlassEmail: null,
  version: 1,
  updatedAt: new Date(0),
});

describe("the page for an error", () => {
  test.each([
    [404, "There is no page here", "nothing at this address"],
    [413, "This did not work", "too large"],
    [400, "This did not work", "cannot be read"],
    [429, "This did not work", "in 7 seconds"],
    [500, "Something went wrong on the server", "under request r1"],
    [503, "Something went wrong on the server", "Try again in a moment"],
  ])("of status %s says: %s", async (status, title, says) => {
    const page = await errorPages(acme)({ ...problem, status, retryAfterSeconds: 7 }, { headers: {} });
    expect(page).toContain(`<h1>${title}</h1>`);
    expect(page).toContain(says);
    expect(page).not.toContain("<script");
  });

  test("carries the installation's name, and speaks the browser's language", async () => {
    const page = await errorPages(acme)(problem, { headers: { "accept-language": "de-AT,en;q=0.5" } });
    expect(page).toContain("<title>Hier ist keine Seite · Acme</title>");
    expect(page).toContain('<html lang="de">');
  });

  test("asks for the name every ten seconds at most, and remembers it while the database is away", async () => {
    let asked = 0;
    let now = 0;
    const pages = errorPages(
      async () => {
        asked += 1;
        return asked === 1 ? await acme() : await refuse();
      },
      () => now,
    );
    for (const at of [0, 9_000, 11_000]) {
      now = at;
      expect(await pages(problem, { headers: {} })).toContain("· Acme</title>");
    }
    expect(asked).toBe(2);
  });
});
