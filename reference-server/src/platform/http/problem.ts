import type { FastifyReply, FastifyRequest } from "fastify";
import { setPageHeaders } from "./security-headers.js";

/** An error answer: JSON for programs, a plain page for browsers. */
export interface Problem {
  readonly status: number;
  /** The wire code, as in RFC 6749 §5.2 where that has one. */
  readonly error: string;
  /** What happened and what to do next. Printed on the page, so it never quotes what the caller sent. */
  readonly description: string;
  /** As in the log. */
  readonly requestId: string;
  /** Precise, where a page has its own text for it. */
  readonly reason?: string;
  /** When to retry. */
  readonly retryAfterSeconds?: number;
}

/** Renders the page for a problem, in the browser's language. */
export type RenderProblemPage = (problem: Problem, request: FastifyRequest) => string | Promise<string>;

/** Sends a problem in the form that the caller accepts. */
export async function sendProblem(
  {
    request,
    reply,
    renderPage,
  }: { request: FastifyRequest; reply: FastifyReply; renderPage: RenderProblemPage },
  problem: Problem,
): Promise<FastifyReply> {
  void reply.code(problem.status);
  if (wantsPage(request)) return await setPageHeaders(reply).send(await renderPage(problem, request));
  const body = { error: problem.error, error_description: problem.description };
  return await reply.type("application/json; charset=utf-8").send(body);
}

/** Browsers put `text/html` first; programs do not name it. `/api/` and `/.well-known/` are for programs. */
function wantsPage(request: FastifyRequest): boolean {
  if (request.url.startsWith("/api/") || request.url.startsWith("/.well-known/")) return false;
  const accept = request.headers.accept ?? "";
  const html = accept.indexOf("text/html");
  const json = accept.indexOf("application/json");
  return html !== -1 && (json === -1 || html < json);
}

/** The default page. Its texts are the server's own, so nothing needs escaping. */
export const renderPlainProblemPage: RenderProblemPage = ({ status, description }) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${status}</title><p>${description}</p></html>`;
