import { bootstrap } from "./bootstrap.mjs";

await bootstrap();
await import("./dist/release-artifacts/main.js");
