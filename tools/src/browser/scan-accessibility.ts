import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

/** The scanner runs inside the page; the protocol puts it there, so the page's policy does not matter. */
const scanner = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/**
 * Scans what the page shows now with axe-core. Each line is one violation; none is what you want.
 *
 * @param rules - only these; all of them when left out
 */
export async function scanAccessibility(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  const runOnly = rules === undefined ? {} : { runOnly: rules };
  await page.evaluate(`window.axe ?? (() => { ${scanner} })()`);
  const options = JSON.stringify({ resultTypes: ["violations"], ...runOnly });
  const { violations } = await page.evaluate<AxeResult>(`window.axe.run(document, ${options})`);
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`),
  );
}
