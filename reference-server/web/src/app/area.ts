import type { ComponentType } from "react";
import type { FirstQuestion } from "../api/first-question";
import type { IconName } from "../parts/icon";
import type { AreaId, CatalogueName, TextKey } from "../text/text-key";

/** The parts of the navigation, in its order. */
export const groups = ["start", "permissions", "people", "installation"] as const;
type GroupName = (typeof groups)[number];

/** One entry of the navigation with its screens: what `src/screens/<area>/area.ts` exports as `area`. `screens/areas.ts` finds it there. */
export interface Area {
  /** `scopes`; unique. Its name is in the catalogue `shell`, other words for the command palette in `palette`. */
  readonly id: AreaId;
  readonly group: GroupName;
  /** In its group: the lower, the earlier. Tens, so that there is room between two. */
  readonly position: number;
  readonly icon: IconName;
  /** The catalogues that its screens use, loaded together with them. */
  readonly texts: readonly CatalogueName[];
  /** The first screen, below /admin: `/scopes`. */
  readonly path: string;
  /** How much waits there for somebody; shown beside the name while there is something. */
  readonly waiting?: Waiting;
  /** Pressed after `g`. One letter, unique. */
  readonly shortcut?: string;
  readonly screens: readonly Screen[];
  /** What the command palette offers beside the screen itself. */
  readonly actions?: readonly Action[];
  /** Where the command palette looks for objects. */
  readonly search?: ObjectSearch;
}

export interface Waiting {
  /** An object of the API: `/app-policy`. */
  readonly item: string;
  readonly count: (item: never) => number;
  /** Says what the number means: gets `count`. */
  readonly text: TextKey;
}

export interface Screen {
  /** Below /admin, with parameters: `/scopes/$key`. */
  readonly path: string;
  /** Loaded when somebody opens it: `() => import("./event-list")`; its default export is the component. */
  readonly load: () => Promise<{ readonly default: ComponentType }>;
  /** What it asks the API for first. Whoever opens the console there does not wait for the code to ask. */
  readonly asks?: (search: URLSearchParams) => FirstQuestion;
}

interface Action {
  readonly text: TextKey;
  readonly path: string;
}

/** A list of the API that takes `q`, and how one of its items is shown. */
interface ObjectSearch {
  readonly list: string;
  readonly toHit: (item: never) => {
    readonly title: string;
    readonly detail?: string;
    readonly path: string;
  };
}
