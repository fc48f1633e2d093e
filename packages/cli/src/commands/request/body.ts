import { createReadStream } from "node:fs";
import { access, constants, readFile, stat } from "node:fs/promises";
import { type AuthorizedRequest, fileProblem } from "@authz/client";
import { EXIT } from "../../exit-code.js";
import { CliError } from "../../messages/cli-error.js";
import type { Runtime } from "../../runtime.js";
import { encodeForm } from "./multipart.js";
import type { RequestOptions } from "./request-options.js";

/** A body, the method it suggests, and the content type it gets unless the caller names one. */
export interface Body {
  method: "POST" | "PUT";
  contentType: string;
  body: NonNullable<AuthorizedRequest["body"]>;
  bodyLength?: number;
}

/** Builds the body from `-d`, `-T` or `-F`. Files are streamed, and opened anew when the request is sent again. */
export async function buildBody(options: RequestOptions, runtime: Runtime): Promise<Body | undefined> {
  const { data, uploadFile, form } = options;
  const given = [data !== undefined, uploadFile !== undefined, form.length > 0].filter(Boolean).length;
  if (given > 1) {
    throw new CliError("usage", {
      what: "A request has one body.",
      why: "-d, -T and -F exclude one another.",
      hint: "Leave out all but one of them.",
      exitCode: EXIT.usage,
    });
  }
  if (data !== undefined) return await textBody(data, runtime);
  if (uploadFile !== undefined) return await fileBody(uploadFile, runtime);
  if (form.length > 0) return { method: "POST", ...(await encodeForm(form)) };
  return undefined;
}

/** The value of `-d`: the text itself, `@file`, or `@-` for standard input. */
async function textBody(data: string, { stdin }: Runtime): Promise<Body> {
  const bytes = data.startsWith("@") ? await readSource(data.slice(1), stdin) : Buffer.from(data);
  const contentType = isJson(bytes) ? "application/json" : "application/x-www-form-urlencoded";
  return { method: "POST", contentType, body: bytes };
}

async function readSource(name: string, stdin: Runtime["stdin"]): Promise<Buffer> {
  if (name !== "-") return await readFile(name).catch((cause: unknown) => unreadable(name, cause));
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}

async function fileBody(name: string, { stdin }: Runtime): Promise<Body> {
  const common = { method: "PUT", contentType: "application/octet-stream" } as const;
  if (name === "-") return { ...common, body: stdin };
  return { ...common, body: () => createReadStream(name), bodyLength: await fileSize(name) };
}

/** The size of a file that can be sent. @throws {CliError} It cannot be read. */
export async function fileSize(name: string): Promise<number> {
  const facts = await stat(name).catch((cause: unknown) => unreadable(name, cause));
  if (!facts.isFile())
    unreadable(name, new Error(facts.isDirectory() ? "It is a folder." : "It is not a file."));
  await access(name, constants.R_OK).catch((cause: unknown) => unreadable(name, cause));
  return facts.size;
}

function unreadable(name: string, cause: unknown): never {
  const why = fileProblem(cause);
  throw new CliError("usage", {
    what: `The file ${name} cannot be read, so nothing was sent.`,
    ...(why === undefined ? {} : { why }),
    hint: "Name a file that you can read, or - for standard input.",
    exitCode: EXIT.usage,
    cause,
  });
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString("utf8"));
    return true;
  } catch {
    return false;
  }
}
