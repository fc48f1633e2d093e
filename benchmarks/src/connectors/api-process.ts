/** The third party: gives as many bytes as it is asked for, and takes as many as it gets. */
import { createServer } from "node:http";
import { answerQuestions } from "../child-process.js";

const chunk = Buffer.alloc(64 * 1024, "a");

const server = createServer((request, response) => {
  if (request.method === "POST") {
    request.resume().once("end", () => response.end("ok"));
    return;
  }
  let left = Number(request.url?.split("/").at(-1));
  response.writeHead(200, { "content-type": "application/octet-stream", "content-length": left });
  const give = () => {
    while (left > 0) {
      const piece = left < chunk.length ? chunk.subarray(0, left) : chunk;
      left -= piece.length;
      if (!response.write(piece)) break;
    }
    if (left > 0) response.once("drain", give);
    else response.end();
  };
  give();
});

answerQuestions(
  ({ port }: { port: number }) =>
    new Promise<null>((resolve) => {
      server.listen(port, "127.0.0.1", () => resolve(null));
    }),
);
