import { bootstrap } from "./bootstrap.mjs";

await bootstrap("running");
await import("./dist/start.js");
