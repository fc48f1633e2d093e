import { bootstrap } from "./bootstrap.mjs";

await bootstrap();
await import("./dist/release-dry-run/main.js");
