import type { Problem } from "../platform/http/problem.js";
import { paths } from "../protocol/vocabulary.js";
import type { Frame } from "./frame.js";
import { html } from "./html.js";
import { renderPage } from "./layout.js";
import type { Texts } from "./texts/texts.js";

export interface ProblemPage {
  readonly title: string;
  /** What happened, why, and what to do next. */
  readonly paragraphs: readonly string[];
  /** What a program did wrong, in the words of its developers: English. */
  readonly technical?: string;
  /** The wire code, for whoever supports the employee. */
  readonly code?: string;
  readonly action?: { readonly href: string; readonly label: string };
}

/** A dead end, in words. */
export function renderProblemPage(page: ProblemPage, frame: Frame): string {
  const [lead, ...rest] = page.paragraphs;
  return renderPage(
    {
      title: page.title,
      body: html`<h1>${page.title}</h1>
<p class="lead">${lead}</p>
${rest.map((paragraph) => html`<p>${paragraph}</p>\n`)}
${page.technical !== undefined && html`<p class="technical" lang="en">${page.technical}</p>`}
${page.action && html`<p class="buttons"><a class="button" href="${page.action.href}">${page.action.label}</a></p>`}
${page.code !== undefined && html`<p class="hint"><code>${page.code}</code></p>`}`,
    },
    frame,
  );
}

/** The page for what no route answered: unknown addresses and failures. */
export function renderErrorPage(problem: Problem, frame: Frame): string {
  const { status, error } = problem;
  const { problem: words } = frame.texts;
  const title = status === 404 ? words.notFound : status < 500 ? words.notDone : words.failed;
  return renderProblemPage(
    {
      title,
      paragraphs: [describe(problem, frame.texts)],
      code: error,
      action: { href: paths.home, label: words.startPage },
    },
    frame,
  );
}

/** The description says the same in English, for programs. */
function describe(
  { status, reason, requestId, retryAfterSeconds }: Problem,
  { problem: words }: Texts,
): string {
  switch (status) {
    case 404:
      return words.notFoundText;
    case 413:
      return words.tooLarge;
    case 429:
      return words.tooMany(String(retryAfterSeconds ?? 60));
    case 503:
      return reason === "scope_directory_unavailable" ? words.directoryAway : words.busy;
    default:
      return status < 500 ? words.unreadable : words.error(requestId);
  }
}
