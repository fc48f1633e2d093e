/** The least that `node:http` can do: a prepared answer, with the bytes that the proxy sends. Listens on `PORT`. */
import { createServer } from "node:http";
import { document } from "./nginx.js";

const headers = Object.entries({
  "Content-Type": "application/json",
  "Cache-Control": "public, max-age=300",
  Date: new Date().toUTCString(),
  Age: "100",
  "Content-Length": String(document.length),
}).flat();

createServer((_request, response) => {
  response.writeHead(200, headers);
  response.end(document, "latin1");
}).listen(Number(process.env["PORT"]), "127.0.0.1");
