import { randomUUID } from "node:crypto";
import { changedFields } from "../audit/changed-fields.js";
import { isExempt } from "../lifecycle/cause.js";
import { enablePerson, endPerson } from "../lifecycle/end-person.js";
import { isEmailAddress, isAllowedAddress } from "../sign-in/identity.js";
import type { IdentityProvider } from "../store/identity-providers.js";
import type { ProvisionedEmail, ProvisionedUser, StoredProvisionedUser } from "../store/provisioned-users.js";
import { isUuid } from "../store/scim-filter.js";
import { shortText } from "../text/short-text.js";
import type { Complex, Document } from "./attributes.js";
import { notFound, type Provisioning, record, requireSeen } from "./provisioning.js";
import { refused, ScimError } from "./scim-error.js";

/** The attributes of a person that a provider sets. */
type Profile = Omit<ProvisionedUser, "id" | "providerId" | "userId">;

const maximumEmails = 20;

/** A person as a document of SCIM. */
export function toUserDocument(user: Profile): Document {
  const name = {
    ...(user.formattedName !== null && { formatted: user.formattedName }),
    ...(user.familyName !== null && { familyName: user.familyName }),
    ...(user.givenName !== null && { givenName: user.givenName }),
  };
  return {
    userName: user.userName,
    ...(user.externalId !== null && { externalId: user.externalId }),
    ...(Object.keys(name).length > 0 && { name }),
    ...(user.displayName !== null && { displayName: user.displayName }),
    active: user.active,
    ...(user.emails.length > 0 && { emails: user.emails as readonly Complex[] }),
  };
}

/**
 * Reads the profile from a document. `active` is true by default, and stays as it is when an existing person is replaced without it:
 * leaving it out must not bring back a person who left.
 *
 * @throws {ScimError} `invalidValue`
 */
function readProfile(
  document: Document,
  { provider, before }: { readonly provider: IdentityProvider; readonly before: Profile | undefined },
): Profile {
  const text = (value: unknown) => (typeof value === "string" ? value : null);
  const userName = text(document["userName"]);
  if (userName === null) throw refused("invalidValue", 'A User needs a "userName".');
  const name = (document["name"] ?? {}) as Complex;
  const emails = (document["emails"] ?? []) as readonly ProvisionedEmail[];
  requireAddresses(emails, provider);
  const active = document["active"] ?? before?.active ?? true;
  return {
    userName,
    externalId: text(document["externalId"]),
    displayName: text(document["displayName"]),
    formattedName: text(name["formatted"]),
    familyName: text(name["familyName"]),
    givenName: text(name["givenName"]),
    emails,
    active: active === true,
  };
}

function requireAddresses(emails: readonly ProvisionedEmail[], provider: IdentityProvider): void {
  if (emails.length > maximumEmails) {
    throw refused("invalidValue", `A User has at most ${maximumEmails} emails.`);
  }
  if (emails.some(({ value }) => value !== undefined && !isEmailAddress(value))) {
    throw refused("invalidValue", 'A value of "emails" is not an email address.');
  }
  const address = findEmail(emails);
  if (address === undefined || isAllowedAddress(address, provider)) return;
  const domains = provider.allowedEmailDomains.join(", ");
  throw refused("invalidValue", `This provider names people of these domains only: ${domains}.`);
}

function findEmail(emails: readonly ProvisionedEmail[]): string | undefined {
  const first =
    emails.find(({ primary }) => primary === true) ?? emails.find(({ value }) => value !== undefined);
  return first?.value;
}

/** The person's address, lower case: the primary email, else the first, else a user name that is one the provider may name. */
function addressOf({ emails, userName }: Profile, provider: IdentityProvider): string | null {
  const email = findEmail(emails);
  if (email !== undefined) return email.toLowerCase();
  const isAddress = isEmailAddress(userName) && isAllowedAddress(userName, provider);
  return isAddress ? userName.toLowerCase() : null;
}

/** What pages call the person. */
function nameOf({ displayName, formattedName, givenName, familyName }: Profile): string | null {
  const parts = [givenName, familyName].filter((part) => part !== null);
  return shortText(displayName ?? formattedName ?? parts.join(" "), 256) ?? null;
}

/**
 * Creates a person, or takes over one who is known: by the account that the configured claim names, else by an address that has no account
 * at this provider yet. Nothing that has ended comes back.
 *
 * @throws {ScimError} `uniqueness`, `invalidValue`
 */
export async function createUser(
  document: Document,
  provisioning: Provisioning,
): Promise<StoredProvisionedUser> {
  const { provider, store, at } = provisioning;
  const profile = readProfile(document, { provider, before: undefined });
  const address = addressOf(profile, provider);
  await store.users.lockAddresses();
  await requireFree(profile, provisioning, undefined);
  const known = await findKnown(profile, address, provisioning);
  const userId = known?.userId ?? randomUUID();
  if (known === undefined) {
    await store.users.create({ id: userId, email: address, name: nameOf(profile), at });
  } else {
    await store.users.lock(userId);
    await describePerson(
      { userId, profile, address: await missingAddress(userId, address, provisioning) },
      provisioning,
    );
  }
  const user: ProvisionedUser = { id: randomUUID(), providerId: provider.id, userId, ...profile };
  await store.provisionedUsers.insert(user, at);
  await record("user.provisioned", provisioning, {
    subject: userId,
    data: { provider: provider.key, account: user.id, known: known?.by ?? null, active: user.active },
  });
  await (user.active ? enable(user, provisioning) : end(user, "user.provisioned", provisioning));
  return await find(user.id, provisioning);
}

/**
 * Changes a person to what `change` makes of the document.
 *
 * @throws {ScimError} 404, 412, `uniqueness`, `mutability`, `invalidValue`
 */
export async function changeUser(
  id: string,
  change: (before: Document) => Document,
  provisioning: Provisioning,
): Promise<StoredProvisionedUser> {
  const { provider, store, at } = provisioning;
  // First, in the order of sign-ins, so that the two cannot deadlock.
  await store.users.lockAddresses();
  const before = await lock(id, provisioning);
  requireSeen(before, provisioning);
  const profile = readProfile(change(toUserDocument(before)), { provider, before });
  const after: ProvisionedUser = { ...before, ...profile };
  const fields = changedFields<Profile>(toProfile(before), profile);
  if (fields.length === 0) return before;
  const [oldAddress, address] = [addressOf(before, provider), addressOf(after, provider)];
  await requireFree(after, provisioning, before);
  await requireSameAccount(before, after, provisioning);
  await store.users.lock(before.userId);
  const moved = oldAddress === address ? undefined : address;
  if (moved !== undefined) await requireMovable(before, provisioning);
  await describePerson({ userId: before.userId, profile, address: moved }, provisioning);
  const saved = await store.provisionedUsers.save(after, at);
  await record("user.updated", provisioning, {
    subject: before.userId,
    data: { provider: provider.key, account: id, fields },
  });
  if (before.active && !after.active) await end(after, "user.updated", provisioning);
  if (!before.active && after.active) await enable(after, provisioning);
  return saved;
}

/** Removes a person from the provider, and ends everything that is signed in. @throws {ScimError} 403, 404, 412 */
export async function removeUser(id: string, provisioning: Provisioning): Promise<void> {
  const { provider, store } = provisioning;
  const before = await lock(id, provisioning);
  requireSeen(before, provisioning);
  await store.users.lock(before.userId);
  await end(before, "user.deprovisioned", provisioning);
  await store.provisionedUsers.remove(before);
  await record("user.deprovisioned", provisioning, {
    subject: before.userId,
    data: { provider: provider.key, account: id },
  });
}

function toProfile({
  id: _id,
  providerId: _provider,
  userId: _user,
  ...rest
}: StoredProvisionedUser): Profile {
  const { createdAt: _at, updatedAt: _to, version: _version, ...profile } = rest;
  return profile;
}

async function find(id: string, { store, provider }: Pick<Provisioning, "store" | "provider">) {
  const user = isUuid(id) ? await store.provisionedUsers.find({ providerId: provider.id, id }) : undefined;
  if (user === undefined) throw notFound("User", id);
  return user;
}

export { find as findUser };

async function lock(id: string, { store, provider }: Provisioning) {
  const user = isUuid(id) ? await store.provisionedUsers.lock({ providerId: provider.id, id }) : undefined;
  if (user === undefined) throw notFound("User", id);
  return user;
}

/** @throws {ScimError} `uniqueness`: another person of the provider has the user name or the external id */
async function requireFree(
  profile: Profile,
  { store, provider }: Provisioning,
  before: ProvisionedUser | undefined,
): Promise<void> {
  const { userName, externalId } = profile;
  const taken = await store.provisionedUsers.findTaken({ providerId: provider.id, userName, externalId });
  const other = taken.find(({ id }) => id !== before?.id);
  if (other === undefined) return;
  const name = other.externalId !== null && other.externalId === externalId ? "externalId" : "userName";
  throw refused("uniqueness", `The User ${other.id} of this provider has this ${name} already.`);
}

interface Known {
  readonly userId: string;
  readonly by: "account" | "address";
}

/** @throws {ScimError} `uniqueness`: the person is ambiguous */
async function findKnown(
  profile: Profile,
  address: string | null,
  provisioning: Provisioning,
): Promise<Known | undefined> {
  const { store, provider } = provisioning;
  const [account, ...more] = await findAccounts(profile, provisioning);
  if (more.length > 0) throw ambiguous(provider);
  if (account !== undefined) {
    await requireUnprovisioned(account, provisioning);
    return { userId: account, by: "account" };
  }
  const holder = address === null ? undefined : await store.users.findByEmail(address);
  if (holder === undefined) return undefined;
  await requireUnprovisioned(holder.id, provisioning);
  // The account of a person who has signed in has another claim, so the provider may mean another person.
  if (await store.users.hasAccount(holder.id, provider.id)) throw ambiguous(provider);
  return { userId: holder.id, by: "address" };
}

async function findAccounts(profile: Profile, { store, provider }: Provisioning): Promise<readonly string[]> {
  const { attribute, claim } = pairOf(provider);
  const value = profile[attribute];
  if (value === null) return [];
  return await store.provisionedUsers.findByClaim({ providerId: provider.id, claim, value });
}

/** Which attribute of SCIM equals which claim of the ID token. */
function pairOf({ provisioningAttribute, provisioningClaim }: IdentityProvider) {
  return { attribute: provisioningAttribute ?? "externalId", claim: provisioningClaim ?? "sub" } as const;
}

function ambiguous(provider: IdentityProvider): ScimError {
  const { attribute, claim } = pairOf(provider);
  return refused(
    "uniqueness",
    `It is not certain who is meant: a person with this address has signed in here with another account. "${attribute}" has to be what the provider's ID token says in "${claim}".`,
  );
}

async function requireUnprovisioned(userId: string, { store, provider }: Provisioning): Promise<void> {
  const other = await store.provisionedUsers.findOfPerson({ providerId: provider.id, userId });
  if (other !== undefined) {
    throw refused("uniqueness", `The same person is the User ${other.id} of this provider already.`);
  }
}

/** @throws {ScimError} `uniqueness`: the attribute of the matching pair is that of another account */
async function requireSameAccount(
  before: ProvisionedUser,
  after: ProvisionedUser,
  provisioning: Provisioning,
): Promise<void> {
  const { attribute } = pairOf(provisioning.provider);
  if (before[attribute] === after[attribute]) return;
  const accounts = await findAccounts(after, provisioning);
  if (accounts.some((id) => id !== before.userId)) {
    throw refused("uniqueness", `"${attribute}" is that of another person who has signed in here.`);
  }
}

/** The exemption of the break-glass administrator hangs on the address. @throws {ScimError} `mutability` */
async function requireMovable({ userId }: ProvisionedUser, { provider, store }: Provisioning): Promise<void> {
  if (!(await isExempt(userId, { by: "scim", provider: provider.key }, store))) return;
  throw refused(
    "mutability",
    "This person is the break-glass administrator of this installation, whose address no provider can change.",
  );
}

/** A person who has signed in keeps the address that the sign-in proved. */
async function missingAddress(userId: string, address: string | null, { store }: Provisioning) {
  const user = await store.users.find(userId);
  return user?.email === null && address !== null ? address : undefined;
}

/** @throws {ScimError} `uniqueness`: another person has the address */
async function describePerson(
  {
    userId,
    profile,
    address,
  }: { readonly userId: string; readonly profile: Profile; readonly address: string | null | undefined },
  { store, at }: Provisioning,
): Promise<void> {
  const holder = typeof address === "string" ? await store.users.findByEmail(address) : undefined;
  if (holder !== undefined && holder.id !== userId) {
    throw refused("uniqueness", "Another person here has this email address.");
  }
  const name = nameOf(profile);
  await store.users.describeAs(userId, {
    ...(address !== undefined && { email: address }),
    ...(name !== null && { name }),
    at,
  });
}

/**
 * Ends everything of a person.
 *
 * @throws {ScimError} the break-glass administrator stays: 403 for a removal, else `mutability`
 */
async function end(
  { id, userId }: ProvisionedUser,
  event: "user.provisioned" | "user.updated" | "user.deprovisioned",
  { provider, store, at, requestId }: Provisioning,
): Promise<void> {
  const cause = { by: "scim", provider: provider.key, event } as const;
  if (await isExempt(userId, cause, store)) {
    throw new BreakGlassError({ id, userId, isRemoval: event === "user.deprovisioned" });
  }
  await endPerson(userId, cause, { store, actor: { type: "system" }, at, requestId });
}

/** The provider cannot end this person. The transaction is rolled back, and the attempt is recorded after it. */
export class BreakGlassError extends ScimError {
  readonly user: Pick<ProvisionedUser, "id" | "userId">;
  constructor({
    id,
    userId,
    isRemoval,
  }: Pick<ProvisionedUser, "id" | "userId"> & { readonly isRemoval: boolean }) {
    const detail =
      "This person is the break-glass administrator of this installation, whom no provider can deactivate or remove.";
    super(isRemoval ? 403 : 400, detail, isRemoval ? undefined : "mutability");
    this.user = { id, userId };
  }
}

/** Undoes what this provider ended, and nothing that an administrator or another provider did. Nothing that was signed in comes back. */
async function enable({ userId, providerId }: ProvisionedUser, provisioning: Provisioning): Promise<void> {
  const { provider, store, at, requestId } = provisioning;
  if (!(await store.users.isDisabledByProvider(userId, provider.key))) return;
  if (await store.provisionedUsers.isInactiveElsewhere({ userId, providerId })) return;
  await enablePerson(userId, { store, actor: { type: "system" }, at, requestId });
}
