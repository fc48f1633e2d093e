import { readFile } from "node:fs/promises";
import type { AuthorizedRequest } from "@authz/client";
import { exitCodes } from "../../exit-code.js";
import { CliError } from "../../messages/cli-error.js";
import type { Runtime } from "../../runtime.js";
import { encodeForm } from "./multipart.js";
import type { RequestOptions } from "./request-options.js";
import { openFile, unreadable } from "./sent-files.js";

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
      why: "-d, -T and -F cannot be combined.",
      hint: "Use only one of them.",
      exitCode: exitCodes.usage,
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
  const { content, size } = await openFile(name);
  return { ...common, body: content, bodyLength: size };
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString("utf8"));
    return true;
  } catch {
    return false;
  }
}
