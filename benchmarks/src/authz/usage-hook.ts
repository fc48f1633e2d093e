/** Loaded before the server's own code with `--import`, so that the parent process can ask for CPU time and memory. */
import { answerQuestions } from "../child-process.js";

answerQuestions(() => {
  throw new TypeError("The server answers over HTTP; here it tells only what it used.");
});
