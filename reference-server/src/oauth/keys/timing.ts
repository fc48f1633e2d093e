import { lifetimes } from "../../protocol/vocabulary.js";

/** How often a process reads the keys again. */
export const reloadSeconds = 10;

/** A process that could not read the keys for this long signs nothing more: another key may be the active one. */
export const staleSeconds = 300;

/**
 * How long a staged key is in the key set before it may sign.
 *
 * Until everybody has seen it: a process reads the keys again (10 s), a cache in between has the key set for its
 * `max-age` (300 s), a service that uses the SDK for 300 s more and pauses 30 s between two fetches. The rest is margin.
 */
export const publicationSeconds = 15 * 60;

/** The longest life of anything that is signed; see the test that goes through `lifetimes`. */
const longestSignedSeconds = Math.max(lifetimes.accessToken, lifetimes.idToken, lifetimes.identityAssertion);

/**
 * How long a retired key stays in the key set: until the last thing it signed has expired.
 *
 * A process that has not heard of the change signs with it for at most `staleSeconds`; the rest is for clocks that
 * differ.
 */
export const retentionSeconds = longestSignedSeconds + staleSeconds + 5 * 60;
