import { type Answer, createAnswer, notModifiedHeaders } from "./answer.js";
import { ageSeconds, freshnessSeconds } from "./freshness.js";
import type { Log } from "./log.js";
import { type Upstream, type UpstreamDocument, UpstreamError } from "./upstream.js";

/** Monotonic milliseconds from an arbitrary start. */
export type MonotonicClock = () => number;

/** A forwarded document. */
export interface Resource {
  /**
   * The fresh copy, if any. In the last tenth of its lifetime this prefetches the next one, with retries, so that a brief failure
   * of the upstream reaches no caller.
   */
  fresh(): Reply | undefined;
  /**
   * Requests the document from the upstream. Concurrent callers share the response.
   *
   * @throws {UpstreamError} There is no response to forward.
   */
  ask(): Promise<Reply>;
}

/** A response with its headers as written: names and values in turn. */
export interface Reply {
  readonly answer: Answer;
  /** For the response itself, with `Content-Length`. */
  readonly headers: string[];
  /** For 304. */
  readonly notModifiedHeaders: string[];
}

interface Copy {
  readonly answer: Answer;
  /** The creation time by its `Age`, on the monotonic clock. */
  readonly madeAt: number;
  /** Lifetime from the request, in milliseconds. */
  readonly lifetime: number;
  readonly freshUntil: number;
  /** The time of the next prefetch; later after every attempt. */
  renewAt: number;
  /** The `Age` of `reply`, which is rebuilt once a second. */
  age: number;
  reply: Reply;
}

/** Shares of the lifetime: the last part, in which the next response is prefetched, and the pause between two attempts. */
const renewalShare = 1 / 10;
const attemptShare = 1 / 100;

export interface ResourceOptions {
  readonly document: UpstreamDocument;
  readonly upstream: Upstream;
  readonly clock: MonotonicClock;
  readonly log: Log;
}

export function createResource({ document, upstream, clock, log }: ResourceOptions): Resource {
  const { path } = document;
  let copy: Copy | undefined;
  let asking: Promise<Reply> | undefined;

  async function get(): Promise<Reply> {
    const askedAt = clock();
    let freshUntil = askedAt;
    const { status, headers, body } = await upstream.get(document, (head) => {
      freshUntil = askedAt + freshnessSeconds(head) * 1000;
      // Later callers must not share a response that is stale already.
      if (freshUntil <= clock()) asking = undefined;
    });
    log.info({ path, status, ms: Math.round(clock() - askedAt) }, "The upstream answered.");
    const answer = createAnswer(status, headers, body);
    const reply = toReply(answer, headers.age);
    if (status === 200 && freshUntil > clock()) {
      const madeAt = askedAt - ageSeconds(headers) * 1000;
      const lifetime = freshUntil - askedAt;
      const renewAt = freshUntil - lifetime * renewalShare;
      copy = { answer, madeAt, lifetime, freshUntil, renewAt, age: -1, reply };
    }
    return reply;
  }

  function ask(): Promise<Reply> {
    if (asking !== undefined) return asking;
    const asked = get()
      .catch((error: unknown) => {
        const reason = error instanceof UpstreamError ? error.reason : "unknown";
        log.error({ path, reason }, `The upstream gave no answer that can be passed on. ${messageOf(error)}`);
        throw error;
      })
      .finally(() => {
        if (asking === asked) asking = undefined;
      });
    asking = asked;
    return asked;
  }

  function renew(copyInUse: Copy, now: number): void {
    copyInUse.renewAt = now + copyInUse.lifetime * attemptShare;
    // A failure is logged, and callers have the copy.
    ask().catch(() => undefined);
  }

  return {
    ask,
    fresh() {
      if (copy === undefined) return undefined;
      const now = clock();
      if (now >= copy.freshUntil) {
        copy = undefined;
        return undefined;
      }
      if (now >= copy.renewAt) renew(copy, now);
      const age = Math.floor((now - copy.madeAt) / 1000);
      if (age !== copy.age) {
        copy.age = age;
        copy.reply = toReply(copy.answer, String(age));
      }
      return copy.reply;
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function toReply(answer: Answer, age: string | undefined): Reply {
  const ageHeader = age === undefined ? [] : ["Age", age];
  const length = answer.status === 204 ? [] : ["Content-Length", String(answer.body.length)];
  return {
    answer,
    headers: [...answer.headers, ...ageHeader, ...length],
    notModifiedHeaders: [...notModifiedHeaders(answer), ...ageHeader],
  };
}
