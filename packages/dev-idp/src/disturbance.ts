import type { IncomingMessage, ServerResponse } from "node:http";

/** What the token endpoint does instead of its work, to show what a client makes of it. */
export type Disturbance =
  /** It takes the request, does nothing and never answers. */
  | { readonly kind: "hang" }
  /** It does its work when the disturbance ends. */
  | { readonly kind: "delay" }
  /** It does its work, and the connection breaks before the answer: a refresh token may be used up. */
  | { readonly kind: "lose" }
  /** Its answer is about this person, whoever was asked about. */
  | { readonly kind: "lie"; readonly as: string }
  /** It answers with this error and does nothing. */
  | { readonly kind: "refuse"; readonly error: string; readonly status?: number };

/** The disturbance of one provider. */
export interface Disturbances {
  /** Begins another disturbance; `undefined` ends it. */
  readonly set: (disturbance: Disturbance | undefined) => void;
  readonly current: () => Disturbance | undefined;
  /** Answers a request to the token endpoint in the disturbed way. Returns `false` when it is to do its work. */
  readonly answer: (request: IncomingMessage, response: ServerResponse, work: () => void) => boolean;
}

export function createDisturbances(): Disturbances {
  let current: Disturbance | undefined;
  let delayed: (() => void)[] = [];
  return {
    current: () => current,
    set(next) {
      current = next;
      const waiting = delayed;
      delayed = [];
      for (const work of waiting) work();
    },
    answer(request, response, work) {
      if (current === undefined || current.kind === "lie") return false;
      if (current.kind === "lose") {
        loseAnswer(request, response);
        return false;
      }
      if (current.kind === "delay") delayed.push(work);
      if (current.kind === "refuse") refuse(response, current);
      return true;
    },
  };
}

function refuse(
  response: ServerResponse,
  { error, status = 400 }: Extract<Disturbance, { kind: "refuse" }>,
): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify({ error }));
}

/** Breaks the connection when the answer is written, which is after the work. */
function loseAnswer(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead = () => response;
  response.write = () => true;
  response.end = () => {
    request.socket.destroy();
    return response;
  };
}
