import type { FastifyRequest } from "fastify";

/**
 * Every value of a header as it came over the wire.
 *
 * `request.headers` joins or drops repeated headers; a second `Authorization` or `DPoP` must stay visible.
 */
export function rawHeaderValues(request: FastifyRequest, name: string): readonly string[] {
  const { rawHeaders } = request.raw;
  const wanted = name.toLowerCase();
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === wanted) values.push(rawHeaders[index + 1] ?? "");
  }
  return values;
}
