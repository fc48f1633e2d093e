import type { FetchRequestOverrides } from "@authz/verify";
import type { Context } from "hono";

/** What is really in Hono's cache: its types leave the promises out, and a validator leaves a form without one. */
interface CachedBody {
  readonly formData?: FormData | Promise<FormData>;
  readonly arrayBuffer?: ArrayBuffer | Promise<ArrayBuffer>;
  readonly text?: string | Promise<string>;
}

/**
 * What the application has read of the body so far: the fields of a form, or else its bytes or text.
 *
 * A body can be read once. Whoever reads it first through `c.req` leaves it there for the others.
 */
export async function overridesOf({ req }: Pick<Context, "req">): Promise<FetchRequestOverrides> {
  const { formData, arrayBuffer, text } = req.bodyCache as CachedBody;
  if (formData !== undefined) return { body: fieldsOf(await formData) };
  if (arrayBuffer !== undefined) return { body: new Uint8Array(await arrayBuffer) };
  return text === undefined ? {} : { body: await text };
}

/** Every value of every field, so that a repeated one stays visible. */
function fieldsOf(form: FormData): Record<string, unknown> {
  return Object.fromEntries([...new Set(form.keys())].map((name) => [name, form.getAll(name)]));
}
