import { bootstrap } from "./bootstrap.mjs";

await bootstrap();
await import("./dist/tokens.js");
