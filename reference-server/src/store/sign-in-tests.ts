import type { Database } from "./postgres/database.js";
import { defineTable, insertIf, json } from "./postgres/table.js";

/** A test sign-in of an administrator. It opens no session. */
export interface SignInTest {
  readonly id: string;
  /** SHA-256 of `state`. */
  readonly stateHash: Buffer;
  /** SHA-256 of the secret in the browser's cookie. */
  readonly browserHash: Buffer;
  readonly providerId: string;
  /** Of the administrator, in whose browser it has to end. */
  readonly sessionId: string;
  readonly userId: string;
  /** Sealed by the credential vault, bound to `signInTestRow(id)`. */
  readonly settings: Buffer;
  /** The provider is tested as it would be after changes that are not saved. */
  readonly withChanges: boolean;
  readonly createdAt: Date;
  /** The provider's answer is taken until then. */
  readonly expiresAt: Date;
  readonly takenAt: Date | null;
  readonly finishedAt: Date | null;
  readonly passed: boolean | null;
  /** How it ended; opaque to the store. */
  readonly result: Readonly<Record<string, unknown>> | null;
}

const table = defineTable<SignInTest>("sign_in_tests", {
  id: "id",
  stateHash: "state_hash",
  browserHash: "browser_hash",
  providerId: "provider_id",
  sessionId: "session_id",
  userId: "user_id",
  settings: "settings",
  withChanges: "with_changes",
  createdAt: "created_at",
  expiresAt: "expires_at",
  takenAt: "taken_at",
  finishedAt: "finished_at",
  passed: "passed",
  result: json("result"),
});

/** How many passed tests of one provider are looked through. */
const mostPassed = 50;

export function createSignInTestStore(database: Database) {
  const tests = () => database("sign_in_tests");
  const columns = database.raw(table.select());

  return {
    /** Returns `false`, and stores nothing, when the administrator's session is gone. */
    async insert(test: Omit<SignInTest, "takenAt" | "finishedAt" | "passed" | "result">): Promise<boolean> {
      return await insertIf(database, "sign_in_tests", {
        row: table.toRow(test),
        from: "browser_sessions WHERE id = ? FOR KEY SHARE",
        values: [test.sessionId],
      });
    },
    /** A test that this person has begun. */
    async find({
      id,
      providerId,
      userId,
    }: Pick<SignInTest, "id" | "providerId" | "userId">): Promise<SignInTest | undefined> {
      const [row] = await tests()
        .select<SignInTest[]>(columns)
        .where({ id, provider_id: providerId, user_id: userId });
      return row && table.fromRow(row);
    },
    /** Hands the test to exactly one caller, and only to the browser and the session that began it. */
    async take({
      stateHash,
      browserHash,
      sessionId,
      now,
    }: Pick<SignInTest, "stateHash" | "browserHash" | "sessionId"> & { readonly now: Date }): Promise<
      SignInTest | undefined
    > {
      const [row] = await tests()
        .where({ state_hash: stateHash, browser_hash: browserHash, session_id: sessionId, taken_at: null })
        .where("expires_at", ">", now)
        .update({ taken_at: now })
        .returning<SignInTest[]>(columns);
      return row && table.fromRow(row);
    },
    /** Says how a test ended, once. Returns whether this call did. */
    async finish({
      id,
      passed,
      result,
      settings,
      now,
    }: {
      readonly id: string;
      readonly passed: boolean;
      readonly result: Readonly<Record<string, unknown>>;
      /** In place of those that it began with. */
      readonly settings: Buffer;
      readonly now: Date;
    }): Promise<boolean> {
      const changed = await tests()
        .where({ id, finished_at: null })
        .update({ taken_at: now, finished_at: now, passed, result: JSON.stringify(result), settings });
      return changed > 0;
    },
    /** What has passed at this provider since then, the newest first. */
    async listPassed({
      providerId,
      since,
    }: {
      readonly providerId: string;
      readonly since: Date;
    }): Promise<readonly SignInTest[]> {
      const rows = await tests()
        .select<SignInTest[]>(columns)
        .where({ provider_id: providerId, passed: true })
        .where("finished_at", ">", since)
        .orderBy("finished_at", "desc")
        .limit(mostPassed);
      return rows.map((row) => table.fromRow(row));
    },
  };
}
