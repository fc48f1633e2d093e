/** Something that every request needs cannot be reached. Answered with 503, never with a refusal. */
export class UnavailableError extends Error {}
