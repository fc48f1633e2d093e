/** Runs Notes on its own: settings from the environment, one line per event, ends on SIGINT and SIGTERM. */
import { startDevNotes } from "./dev-notes.js";

const { DEV_NOTES_CLIENT_SECRET, DEV_NOTES_HOST, DEV_NOTES_PORT, DEV_NOTES_REDIRECT_URI } = process.env;

if (DEV_NOTES_CLIENT_SECRET === undefined || DEV_NOTES_CLIENT_SECRET === "") {
  console.error(
    "DEV_NOTES_CLIENT_SECRET is missing: the secret of the client “authz”.\nTry: DEV_NOTES_CLIENT_SECRET=$(openssl rand -hex 16) npm start",
  );
  process.exit(1);
}

try {
  const notes = await startDevNotes({
    port: Number(DEV_NOTES_PORT ?? "3020"),
    ...(DEV_NOTES_HOST === undefined ? {} : { host: DEV_NOTES_HOST }),
    clients: [
      {
        clientId: "authz",
        clientSecret: DEV_NOTES_CLIENT_SECRET,
        name: "Acme Authz",
        redirectUris: [DEV_NOTES_REDIRECT_URI ?? "http://127.0.0.1:3000/connections/callback/notes"],
      },
    ],
  });
  console.log(`Notes at ${notes.issuer}`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void notes.close());
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
