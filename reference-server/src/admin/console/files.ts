import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import type { ScreenFiles } from "./preloads.js";

/** How a file is compressed on the way to the browser. */
export type Encoding = "br" | "gzip" | "identity";

interface ConsoleFile {
  readonly content: Buffer;
  readonly type: string;
  readonly encoding: Encoding;
  readonly etag: string;
}

/** What the build of the console left. */
export interface ConsoleFiles {
  /** The page, with the place for the nonce; `undefined` when the console was never built. */
  page(): Promise<string | undefined>;
  /** What each screen begins with. */
  screens(): Promise<readonly ScreenFiles[]>;
  /** `assets/index-3f2a.js`, in the best of the encodings; `undefined` when there is no such file. */
  find(path: string, accepted: readonly Encoding[]): Promise<ConsoleFile | undefined>;
}

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};
const endings: Readonly<Record<Encoding, string>> = { br: ".br", gzip: ".gz", identity: "" };
/** Names that a build writes; nothing that leads out of the folder. */
const name = /^(?:assets\/)?[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.(?:css|js|svg|woff2)$/;

/** Reads files of a build on first use, and caches them. */
export function createConsoleFiles(folder: URL): ConsoleFiles {
  const kept = new Map<string, ConsoleFile>();

  async function read(path: string, encoding: Encoding): Promise<ConsoleFile | undefined> {
    const key = path + endings[encoding];
    const found = kept.get(key);
    if (found !== undefined) return found;
    const content = await readIfThere(new URL(key, folder));
    if (content === undefined) return undefined;
    const type = types[extname(path)] ?? "application/octet-stream";
    const etag = `"${createHash("sha256").update(content).digest("base64url")}"`;
    const file = { content, type, encoding, etag };
    kept.set(key, file);
    return file;
  }

  return {
    // Read each time: it is small, and a build while the server runs must not leave a page that names old files.
    page: async () => (await readIfThere(new URL("index.html", folder)))?.toString("utf8"),
    screens: async () => {
      const written = await readIfThere(new URL("preloads.json", folder));
      return written === undefined ? [] : (JSON.parse(written.toString("utf8")) as readonly ScreenFiles[]);
    },
    async find(path, accepted) {
      if (!name.test(path)) return undefined;
      for (const encoding of accepted) {
        const file = await read(path, encoding);
        if (file !== undefined) return file;
      }
      return undefined;
    },
  };
}

/** What a browser takes, best first; the plain file is always the last. */
export function acceptedEncodings(header: string | undefined): readonly Encoding[] {
  const named = new Map(
    (header ?? "").split(",").map((part) => {
      const [coding = "", weight = ""] = part.trim().toLowerCase().split(";");
      return [coding.trim(), !/^\s*q=0(?:\.0*)?\s*$/.test(weight)] as const;
    }),
  );
  return [...(["br", "gzip"] as const).filter((coding) => named.get(coding) === true), "identity"];
}

async function readIfThere(file: URL): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "EISDIR" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
