import { Client, escapeIdentifier, escapeLiteral } from "pg";

/**
 * Makes sure that a database exists which belongs to a role of the same name without further rights, as in production.
 *
 * @returns The connection URL of that role.
 */
export async function ensureDatabase(
  superuserUrl: string,
  { name, password }: { readonly name: string; readonly password: string },
): Promise<string> {
  const client = new Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    const role = escapeIdentifier(name);
    const roles = await client.query("SELECT 1 FROM pg_roles WHERE rolname = $1", [name]);
    if (roles.rowCount === 0) {
      await client.query(`CREATE ROLE ${role} LOGIN PASSWORD ${escapeLiteral(password)}`);
    }
    const databases = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [name]);
    if (databases.rowCount === 0) {
      await client.query(`CREATE DATABASE ${role} OWNER ${role}`);
    }
  } finally {
    await client.end();
  }
  const url = new URL(superuserUrl);
  url.username = name;
  url.password = password;
  url.pathname = `/${name}`;
  return url.href;
}
