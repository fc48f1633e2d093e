import { randomBytes } from "node:crypto";
import { basename } from "node:path";
import { exitCodes } from "../../exit-code.js";
import { CliError } from "../../messages/cli-error.js";
import { openFile, type SentFile } from "./sent-files.js";

interface Part {
  head: Buffer;
  content: SentFile["content"] | Buffer;
  size: number;
}

/**
 * Encodes `name=value` and `name=@file` fields as multipart/form-data (RFC 7578). Files are streamed; the length is known
 * beforehand.
 */
export async function encodeForm(fields: readonly string[]): Promise<{
  contentType: string;
  body: () => AsyncIterable<Uint8Array>;
  bodyLength: number;
}> {
  const boundary = `authz-${randomBytes(16).toString("hex")}`;
  const parts = await Promise.all(fields.map(async (field) => await createPart(field, boundary)));
  const end = Buffer.from(`--${boundary}--\r\n`);
  const bodyLength = parts.reduce((sum, { head, size }) => sum + head.byteLength + size + 2, end.byteLength);
  async function* body(): AsyncIterable<Uint8Array> {
    for (const { head, content } of parts) {
      yield head;
      if (typeof content === "function") yield* content();
      else yield content;
      yield Buffer.from("\r\n");
    }
    yield end;
  }
  return { contentType: `multipart/form-data; boundary=${boundary}`, body, bodyLength };
}

async function createPart(field: string, boundary: string): Promise<Part> {
  const equals = field.indexOf("=");
  if (equals < 1) {
    throw new CliError("usage", {
      what: `"${field}" is not a field of a form.`,
      hint: "Write it like this: -F name=value, or -F file=@report.pdf",
      exitCode: exitCodes.usage,
    });
  }
  const name = quote(field.slice(0, equals));
  const value = field.slice(equals + 1);
  const disposition = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"`;
  if (!value.startsWith("@")) {
    const content = Buffer.from(value);
    return { head: Buffer.from(`${disposition}\r\n\r\n`), content, size: content.byteLength };
  }
  const [path = "", type = "application/octet-stream"] = value.slice(1).split(";type=");
  const head = `${disposition}; filename="${quote(basename(path))}"\r\nContent-Type: ${type.replaceAll(/[\r\n]/g, "")}\r\n\r\n`;
  return { head: Buffer.from(head), ...(await openFile(path)) };
}

/** As browsers write names: quotes and line ends percent-encoded. */
function quote(name: string): string {
  return name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
