import { type CatalogSkill, readFileText, skillDigest, SkillError, type SkillFileEntry } from "@authz/skills";
import { askService, type CatalogError, catalogError, type FetchCatalogOptions } from "./fetch-catalog.js";

/** Time limit for all files of a catalog together. */
const filesSeconds = 30;
/** Concurrent requests. */
const atOnce = 4;

interface FetchFilesOptions extends FetchCatalogOptions {
  /** Files that need not be fetched: their sizes, by digest. */
  readonly known: ReadonlyMap<string, number>;
}

/**
 * Fetches the files that the skills of a catalog name and that are not stored yet, by digest. All of them must match the catalog.
 *
 * @throws {CatalogError} A file is not there, is not what its digest says, hides something, or all of them take too long.
 */
export async function fetchFiles(
  authorizationServer: string,
  { items, known, ...options }: FetchFilesOptions & { readonly items: readonly CatalogSkill[] },
): Promise<ReadonlyMap<string, Uint8Array>> {
  const wanted = new Map<string, SkillFileEntry>();
  for (const entry of items.flatMap(({ files = [] }) => files)) {
    const size = known.get(entry.digest) ?? wanted.get(entry.digest)?.size;
    if (size !== undefined && size !== entry.size) throw notAsPromised(authorizationServer, entry);
    if (!known.has(entry.digest)) wanted.set(entry.digest, entry);
  }
  const files = new Map<string, Uint8Array>();
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), filesSeconds * 1000);
  const queue = [...wanted.values()].values();
  const work = async (): Promise<void> => {
    for (const entry of queue) {
      const bytes = await fetchFile(authorizationServer, { entry, signal: deadline.signal, ...options });
      files.set(entry.digest, bytes);
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, work));
  } catch (cause) {
    if (!deadline.signal.aborted) throw cause;
    throw catalogError("filesSlow", { url: authorizationServer, seconds: filesSeconds }, cause);
  } finally {
    // Aborts the requests that are still running.
    deadline.abort();
    clearTimeout(timer);
  }
  return files;
}

async function fetchFile(
  authorizationServer: string,
  {
    entry,
    ...options
  }: FetchCatalogOptions & { readonly entry: SkillFileEntry; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const { digest, size, path } = entry;
  const url = fileUrl(authorizationServer, digest);
  const response = await askService(url, { authorizationServer, maxBytes: size, ...options });
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length !== size || skillDigest(bytes) !== digest) throw notAsPromised(authorizationServer, entry);
  try {
    readFileText(bytes, path);
  } catch (cause) {
    if (!(cause instanceof SkillError)) throw cause;
    throw catalogError("fileHides", { url, path }, cause);
  }
  return bytes;
}

function notAsPromised(authorizationServer: string, { digest, path }: SkillFileEntry): CatalogError {
  return catalogError("fileDiffers", { url: fileUrl(authorizationServer, digest), path });
}

function fileUrl(authorizationServer: string, digest: string): string {
  return `${authorizationServer}/.well-known/skills/files/${digest.slice("sha256:".length)}`;
}
