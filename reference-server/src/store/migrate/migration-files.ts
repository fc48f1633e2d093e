import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { packageFolder } from "../../platform/package-folder.js";

/** One step of the schema, as shipped with this version of the server. */
export interface Migration {
  /** The file name without `.sql`; the order of the names is the order of application. */
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

const folder = new URL("migrations/", packageFolder);

/** Reads the migrations that belong to this version of the server. */
export async function loadMigrations(): Promise<readonly Migration[]> {
  const files = (await readdir(folder)).filter((file) => /^\d{4}_[a-z0-9_]+\.sql$/.test(file)).sort();
  return await Promise.all(
    files.map(async (file) => {
      const sql = await readFile(new URL(file, folder), "utf8");
      return { name: file.slice(0, -4), sql, checksum: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}
