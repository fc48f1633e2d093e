import { QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "./api/queries";
import { renewSession } from "./api/session";
import { Look } from "./app/look";
import { startRouter } from "./app/router";
import { SessionGate } from "./app/session-gate";
import { Shell } from "./app/shell";
import { keepFocus } from "./parts/focus";
import { Clock } from "./parts/time";
import { loadTexts, prepareNumbers, Texts } from "./text/text";

const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? "";
// The library that stops the page from scrolling behind a dialog reads the nonce here.
Object.assign(globalThis, { __webpack_nonce__: nonce });

const queries = createQueryClient();
/** How long the outline of the page waits for the whole page; after that, loaded parts replace it. */
const graceMilliseconds = 200;

// A function, because a top-level await makes the bundler split the shared code into thirty files.
async function show(): Promise<void> {
  // All requests start at once: the session, the screen in the address, and the texts of the shell.
  const session = renewSession();
  const screen = startRouter(queries);
  const texts = loadTexts(["shell", "parts"]);
  prepareNumbers();
  keepFocus();
  // Drawing the whole page once is faster than drawing it in steps.
  const whole = Promise.allSettled([session, screen]);
  const grace = new Promise((resolve) => setTimeout(resolve, graceMilliseconds));
  await Promise.all([texts, Promise.race([whole, grace])]);
  createRoot(document.getElementById("root") ?? document.body).render(
    <Look nonce={nonce}>
      <QueryClientProvider client={queries}>
        <Texts>
          <Clock>
            <SessionGate asked={session}>
              <Shell />
            </SessionGate>
          </Clock>
        </Texts>
      </QueryClientProvider>
    </Look>,
  );
}

void show();
