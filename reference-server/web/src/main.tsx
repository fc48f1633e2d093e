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
// The library that keeps the page from scrolling behind a dialog looks for the nonce here.
Object.assign(globalThis, { __webpack_nonce__: nonce });

const queries = createQueryClient();
/** How long the outline of the page stays while all of it comes; then what is there replaces it. */
const patienceMilliseconds = 200;

// A function, because of an await at the top the bundler tears what every screen shares into thirty files.
async function show(): Promise<void> {
  // Everything at once: who asks, what the address names, and the words around it.
  const session = renewSession();
  const screen = startRouter(queries);
  const texts = loadTexts(["shell", "parts"]);
  prepareNumbers();
  keepFocus();
  // What is drawn once and whole is there earlier than what is drawn bit by bit.
  const whole = Promise.allSettled([session, screen]);
  const patience = new Promise((resolve) => setTimeout(resolve, patienceMilliseconds));
  await Promise.all([texts, Promise.race([whole, patience])]);
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
