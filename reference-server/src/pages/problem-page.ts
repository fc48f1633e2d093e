import type { Problem } from "../http/problem.js";
import { paths } from "../oauth/vocabulary.js";
import { html } from "./html.js";
import { renderPage } from "./layout.js";

export interface ProblemPage {
  readonly installationName?: string;
  readonly title: string;
  /** What happened, why, and what to do next. */
  readonly paragraphs: readonly string[];
  /** The wire code, for whoever supports the employee. */
  readonly code?: string;
  readonly requestId?: string;
  readonly action?: { readonly href: string; readonly label: string };
}

/** A dead end, in words. */
export function renderProblemPage(page: ProblemPage): string {
  const [lead, ...rest] = page.paragraphs;
  const details = [page.code, page.requestId && `request ${page.requestId}`].filter(Boolean).join(" · ");
  return renderPage({
    title: page.title,
    installationName: page.installationName,
    body: html`<h1>${page.title}</h1>
<p class="lead">${lead}</p>
${rest.map((paragraph) => html`<p>${paragraph}</p>\n`)}
${page.action && html`<p class="buttons"><a class="button" href="${page.action.href}">${page.action.label}</a></p>`}
${details !== "" && html`<p class="hint"><code>${details}</code></p>`}`,
  });
}

/** The page for what no route answered: unknown addresses and failures. */
export function renderErrorPage({ status, error, description }: Problem): string {
  const title =
    status === 404 ? "There is no page here" : status < 500 ? "This did not work" : "Something failed here";
  return renderProblemPage({
    title,
    paragraphs: [description],
    code: error,
    action: { href: paths.home, label: "Go to the start page" },
  });
}
