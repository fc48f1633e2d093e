import type { Problem } from "../platform/http/problem.js";
import { type Exchange, setPageHeaders } from "../platform/http/security-headers.js";
import { paths } from "../protocol/vocabulary.js";
import type { MessageKey } from "../text/message-key.js";
import type { Texts } from "../text/texts.js";
import { timesScript } from "./dates.js";
import { type Frame, type FrameRequest, type FrameSource, loadFrame, textsFor } from "./frame.js";
import { type Html, html } from "./html.js";
import { renderPage } from "./layout.js";

interface ProblemPage {
  readonly title: string;
  /** What happened, why, and what to do next. */
  readonly paragraphs: readonly string[];
  /** What a program did wrong, in the words of its developers: English. */
  readonly technical?: string;
  /** The wire code, for support. */
  readonly code?: string;
  readonly action?: { readonly href: string; readonly label: string };
  /** Content before the action, such as a form; a script converts its times. */
  readonly more?: Html | undefined;
}

/** Where the catalogs have the words of a dead end: a title, why, and mostly what to do next. */
type DeadEnd = MessageKey extends infer Key ? (Key extends `${infer Path}.why` ? Path : never) : never;

/** The words of a dead end. */
export function describeDeadEnd(
  path: DeadEnd,
  { text, has }: Texts,
): Pick<ProblemPage, "title" | "paragraphs"> {
  const next = `${path}.next`;
  return {
    title: text(`${path}.title`),
    paragraphs: [text(`${path}.why`), ...(has(next) ? [text(next)] : [])],
  };
}

/** Answers with the page of a dead end, with a link onward where there is one. */
export async function sendDeadEnd(
  { request, reply }: Exchange,
  end: {
    readonly path: DeadEnd;
    readonly status: number;
    readonly action?: { readonly href: string; readonly label: MessageKey };
  },
  store: FrameSource,
): Promise<Exchange["reply"]> {
  const frame = await loadFrame(request, store);
  const { texts } = frame;
  const { href, label } = end.action ?? {};
  const action = href !== undefined && label !== undefined && { action: { href, label: texts.text(label) } };
  const page = renderProblemPage({ ...describeDeadEnd(end.path, texts), ...action }, frame);
  return await setPageHeaders(reply).code(end.status).send(page);
}

/** A dead end, in words. */
export function renderProblemPage(page: ProblemPage, frame: Frame): string {
  const [lead, ...rest] = page.paragraphs;
  return renderPage(
    {
      title: page.title,
      ...(page.more !== undefined && { scripts: [timesScript] }),
      body: html`<h1>${page.title}</h1>
<p class="lead">${lead}</p>
${rest.map((paragraph) => html`<p>${paragraph}</p>\n`)}
${page.technical !== undefined && html`<p class="technical" lang="en">${page.technical}</p>`}
${page.more}${page.action && html`<p class="buttons"><a class="button" href="${page.action.href}">${page.action.label}</a></p>`}
${page.code !== undefined && html`<p class="hint"><code>${page.code}</code></p>`}`,
    },
    frame,
  );
}

/** The page for what no route answered: unknown addresses and failures. */
function renderErrorPage(problem: Problem, frame: Frame): string {
  const { status, error } = problem;
  const { text } = frame.texts;
  const title = status === 404 ? "notFound" : status < 500 ? "notDone" : "failed";
  return renderProblemPage(
    {
      title: text(`pages.problem.${title}`),
      paragraphs: [describe(problem, frame.texts)],
      code: error,
      action: { href: paths.home, label: text("pages.problem.startPage") },
    },
    frame,
  );
}

/** For people; `error_description` is the English text for programs. */
function describe({ status, reason, requestId, retryAfterSeconds }: Problem, { text }: Texts): string {
  switch (status) {
    case 404:
      return text("pages.problem.notFoundText");
    case 413:
      return text("pages.problem.tooLarge");
    case 429:
      return text("pages.problem.tooMany", { seconds: retryAfterSeconds ?? 60 });
    case 503:
      return text(`pages.problem.${reason === "scope_directory_unavailable" ? "directoryAway" : "busy"}`);
    default:
      return status < 500 ? text("pages.problem.unreadable") : text("pages.problem.error", { requestId });
  }
}

/** Minimum interval between reads of the name: unknown pages can be requested without limit. */
const lifetimeSeconds = 10;

/**
 * Creates the pages for what no route answered. They carry the installation's name also when the database is away,
 * if the server has seen it before.
 */
export function createErrorPages({
  store,
  clock,
}: {
  readonly store: FrameSource;
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
