import { type Answer, createAnswer, notModifiedHeaders } from "./answer.js";
import { ageSeconds, freshnessSeconds } from "./freshness.js";
import type { Log } from "./log.js";
import type { Upstream } from "./upstream.js";
import { UpstreamError } from "./upstream-error.js";

/** Milliseconds that never go backwards, from any start. */
export type MonotonicClock = () => number;

/** One of the two documents that are forwarded. */
export interface Resource {
  /**
   * What may be given without waiting for the upstream, if anything. In the last tenth of its freshness this asks for
   * the next one, again and again if need be: one bad moment of the upstream reaches no caller.
   */
  fresh(): Reply | undefined;
  /**
   * Asks the upstream. Callers who come while it is being asked get the same answer.
   *
   * @throws {UpstreamError} There is nothing to pass on.
   */
  ask(): Promise<Reply>;
}

/** An answer with its headers ready to be written: names and values in turn. */
export interface Reply {
  readonly answer: Answer;
  /** For the answer itself, with `Content-Length`. */
  readonly headers: string[];
  /** For 304. */
  readonly notModifiedHeaders: string[];
}

interface Copy {
  readonly answer: Answer;
  /** On the monotonic clock: when the answer was made, as far as its `Age` tells. */
  readonly madeAt: number;
  /** How long it is fresh from when it was asked for, in milliseconds. */
  readonly lifetime: number;
  readonly freshUntil: number;
  /** When to ask for the next one: moves on with every attempt. */
  renewAt: number;
  /** Rebuilt once a second: `Age` is the only thing that changes. */
  age: number;
  reply: Reply;
}

/** The last part of a lifetime, in which the next answer is asked for, and the pause between two attempts. */
const renewalShare = 1 / 10;
const attemptShare = 1 / 100;

export interface ResourceOptions {
  readonly path: string;
  readonly upstream: Upstream;
  readonly clock: MonotonicClock;
  readonly log: Log;
}

export function createResource({ path, upstream, clock, log }: ResourceOptions): Resource {
  let copy: Copy | undefined;
  let asking: Promise<Reply> | undefined;

  async function get(): Promise<Reply> {
    const askedAt = clock();
    let freshUntil = askedAt;
    const { status, headers, body } = await upstream.get(path, (head) => {
      freshUntil = askedAt + freshnessSeconds(head) * 1000;
      // Who comes from now on would get something older than the request.
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
    // The log has the reason, and whoever asks meanwhile has the copy.
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
