import { randomUUID } from "node:crypto";
import type { SignIn, User, UserStore } from "../users.js";
import type { Database } from "./database.js";
import { createUserListStore } from "./user-list.js";

interface UserRow extends User {}

const columns = ["id", "email", "name", "enabled"] as const;

export function createUserStore(database: Database): UserStore {
  const users = () => database<UserRow>("users");

  return {
    ...createUserListStore(database),

    find: (id) =>
      users()
        .first(...columns)
        .where({ id }),

    findByEmail: (email) =>
      users()
        .first(...columns)
        .where({ email }),

    async signIn(signIn) {
      const email = signIn.email.toLowerCase();
      const seen = await findByIdentity(database, signIn);
      if (seen?.email === email) return await update(database, seen, signIn);

      await lockAddresses(database);
      const known = await findByIdentity(database, signIn);
      const holder = await users()
        .first(...columns)
        .where({ email });
      if (holder !== undefined && holder.id !== known?.id) {
        if (!holder.enabled) return holder;
        const link = known === undefined && !(await hasIdentityAt(database, holder.id, signIn.providerId));
        if (link) return await update(database, await linkIdentity(database, holder, signIn), signIn);
        await users()
          .where({ id: holder.id })
          .update({ email: null, ...touched(database, signIn.at) });
      }
      return await update(database, known ?? (await create(database, signIn)), signIn);
    },

    async setEnabled(id, enabled, at) {
      return (
        (await users()
          .where({ id })
          .update({ enabled, ...touched(database, at) })) > 0
      );
    },
  };
}

/**
 * New people and changed addresses are handled one after the other: with a lock per address, two people who
 * swap theirs could wait for each other. The usual sign-in takes no lock.
 */
async function lockAddresses(database: Database): Promise<void> {
  await database.raw("SELECT pg_advisory_xact_lock(hashtextextended('users.email', 0))");
}

function findByIdentity(database: Database, { providerId, subject }: SignIn): Promise<User | undefined> {
  return database<UserRow>("users")
    .first("users.id", "users.email", "users.name", "users.enabled")
    .join("user_identities", "user_identities.user_id", "users.id")
    .where({ "user_identities.provider_id": providerId, "user_identities.subject": subject });
}

async function hasIdentityAt(database: Database, userId: string, providerId: string): Promise<boolean> {
  const row: unknown = await database("user_identities")
    .first("subject")
    .where({ user_id: userId, provider_id: providerId });
  return row !== undefined;
}

async function create(database: Database, signIn: SignIn): Promise<User> {
  const id = randomUUID();
  await database("users").insert({ id, created_at: signIn.at, updated_at: signIn.at });
  return await linkIdentity(database, { id, email: null, name: null, enabled: true }, signIn);
}

async function linkIdentity(database: Database, user: User, signIn: SignIn): Promise<User> {
  const { providerId, subject, at } = signIn;
  await database("user_identities").insert({
    provider_id: providerId,
    subject,
    user_id: user.id,
    created_at: at,
  });
  return user;
}

async function update(database: Database, user: User, signIn: SignIn): Promise<User> {
  const [row] = await database("users")
    .where({ id: user.id })
    .update({
      email: signIn.email.toLowerCase(),
      name: signIn.name ?? user.name,
      last_signed_in_at: signIn.at,
      ...touched(database, signIn.at),
    })
    .returning<UserRow[]>([...columns]);
  if (row === undefined) throw new Error("The user disappeared during the sign-in.");
  return row;
}

function touched(database: Database, at: Date) {
  return { updated_at: at, version: database.raw("version + 1") };
}
