import type { QueryClient } from "@tanstack/react-query";
import { Component, type ComponentType, type ReactNode, Suspense, use, useEffect } from "react";
import { prefetch } from "../api/first-question";
import { areas } from "./areas";
import { useAreas } from "./use-areas";
import { useMay } from "../api/session";
import { ParametersOfScreen, useGo } from "../address/links";
import type { Screen } from "../screens/area";
import { withTexts } from "../text/text";
import { matchPath } from "./match-path";
import { currentPlace, followHistory, usePlace } from "../address/place";
import { NotFound, ScreenFailed, ScreenLoading, SignedIn } from "./screen-states";

interface Route extends Screen {
  loaded?: ComponentType;
  loading?: Promise<void> | undefined;
}

/** The screens of all areas, each loaded when it is opened or its link is pointed at. */
const routes: readonly Route[] = [
  ...areas.flatMap(({ screens, texts }) =>
    screens.map((screen): Route => ({ ...screen, load: withTexts(texts, screen.load) })),
  ),
  { path: "/signed-in", load: async () => ({ default: SignedIn }) },
];

/** Loads the screen in the address together with its data, and from now on every screen that is opened. */
export async function startRouter(queries: QueryClient): Promise<void> {
  followHistory(prepare);
  const { path, search } = currentPlace();
  const asks = matchPath(routes, path)?.pattern.asks?.(new URLSearchParams(search));
  await Promise.all([
    prepare(path)?.catch(() => undefined),
    asks === undefined ? undefined : prefetch(queries, asks, new URLSearchParams(search)),
  ]);
}

/** The screen in the address. */
export function CurrentScreen() {
  const { path } = usePlace();
  const may = useMay();
  const match = matchPath(routes, path);
  if (match === undefined) return <NotFound />;
  if (match.pattern.path === "/" && !may("GET /overview")) return <FirstArea />;
  return (
    <Failures path={path}>
      <Suspense fallback={<ScreenLoading />}>
        <ParametersOfScreen value={match.parameters}>
          <RouteScreen key={match.pattern.path} route={match.pattern} />
        </ParametersOfScreen>
      </Suspense>
    </Failures>
  );
}

/** In place of the overview for people who may not read it: the first area that is theirs. */
function FirstArea() {
  const go = useGo();
  const [first] = useAreas();
  useEffect(() => {
    if (first !== undefined) go(first.path, { replace: true });
  }, [go, first]);
  return <ScreenLoading />;
}

function RouteScreen({ route }: { readonly route: Route }) {
  if (route.loaded === undefined) use(route.loading ?? loadRoute(route));
  const Loaded = route.loaded;
  return Loaded && <Loaded />;
}

function prepare(path: string): Promise<void> | undefined {
  const route = matchPath(routes, path)?.pattern;
  if (route === undefined || route.loaded !== undefined) return undefined;
  return route.loading ?? loadRoute(route);
}

function loadRoute(route: Route): Promise<void> {
  route.loading = loadScreen(route);
  return route.loading;
}

async function loadScreen(route: Route): Promise<void> {
  try {
    route.loaded = (await route.load()).default;
  } catch (error) {
    // Later, so that the screens waiting for this attempt fail first; the next navigation tries again.
    setTimeout(() => (route.loading = undefined));
    throw error;
  }
}

/** Shows a way out when a screen cannot be loaded or drawn, until the path changes. */
class Failures extends Component<
  { readonly path: string; readonly children: ReactNode },
  { readonly failedAt?: string | undefined }
> {
  override state: { readonly failedAt?: string | undefined } = {};

  static getDerivedStateFromError(): { readonly failedAt: string } {
    return { failedAt: currentPlace().path };
  }

  override componentDidUpdate(): void {
    const { failedAt } = this.state;
    if (failedAt !== undefined && failedAt !== this.props.path) this.setState({ failedAt: undefined });
  }

  override render(): ReactNode {
    return this.state.failedAt === undefined ? this.props.children : <ScreenFailed />;
  }
}
