import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouterHistory,
} from "@tanstack/react-router";
import { areas } from "../screens/areas";
import { withTexts } from "../text/text";
import { NotFound, ScreenFailed, ScreenLoading, SignedIn } from "./screen-states";
import { Shell } from "./shell";

/** The router: one route per screen of every registered area, each loaded when it is opened. */
export function createConsoleRouter(history?: RouterHistory) {
  const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });
  const routes = areas.flatMap(({ screens, texts }) =>
    screens.map(({ path, load }) =>
      createRoute({
        getParentRoute: () => root,
        path,
        component: lazyRouteComponent(withTexts(texts, load)),
      }),
    ),
  );
  const signedIn = createRoute({ getParentRoute: () => root, path: "/signed-in", component: SignedIn });
  return createRouter({
    routeTree: root.addChildren([...routes, signedIn]),
    basepath: "/admin",
    defaultPreload: false,
    defaultPendingComponent: ScreenLoading,
    defaultErrorComponent: ScreenFailed,
    defaultPendingMs: 200,
    scrollRestoration: true,
    // Plain query strings: `?q=a&scope=b&scope=c`, readable and as the server's links write them.
    parseSearch: (text) => Object.fromEntries([["", text]]),
    stringifySearch: (search) => (search as { ""?: string })[""] ?? "",
    ...(history !== undefined && { history }),
  });
}
