import type { ComponentType } from "react";
import type { FirstQuestion } from "../api/first-question";
import type { Route } from "../api/session";
import type { IconName } from "../parts/icon";
import type { AreaId, CatalogueName, TextKey } from "../text/text-key";

/** The parts of the navigation, in its order. */
export const groups = ["start", "permissions", "people", "installation"] as const;
type GroupName = (typeof groups)[number];

/** One entry of the navigation with its screens. `app/areas.ts` finds what `screens/<area>/area.ts` exports as `area`. */
export interface Area {
  /** `scopes`; unique. Its name is in the catalogue `shell`, keywords for the command palette in `palette`. */
  readonly id: AreaId;
  readonly group: GroupName;
  /** Order in its group, in steps of ten to leave room between two areas. */
  readonly position: number;
  readonly icon: IconName;
  /** The catalogues that its screens use, loaded together with them. */
  readonly texts: readonly CatalogueName[];
  /** The first screen, below /admin: `/scopes`. */
  readonly path: string;
  /** What its first screen asks: people who may not use it do not see the area. */
  readonly route: Route;
  /** A number beside the name, such as open requests; hidden while it is zero. */
  readonly waiting?: Waiting;
  /** Pressed after `g`. One letter, unique. */
  readonly shortcut?: string;
  readonly screens: readonly Screen[];
  /** Further entries of the command palette. */
  readonly actions?: readonly Action[];
  /** The list that the command palette searches. */
  readonly search?: ObjectSearch;
}

export interface Waiting {
  /** An object of the API: `/app-policy`. */
  readonly item: string;
  readonly count: (item: never) => number;
  /** Describes the number to screen readers; gets `count`. */
  readonly text: TextKey;
}

export interface Screen {
  /** Below /admin, with parameters: `/scopes/$key`. */
  readonly path: string;
  /** Loads the screen: `() => import("./event-list")`; its default export is the component. */
  readonly load: () => Promise<{ readonly default: ComponentType }>;
  /** The screen's first request, sent while its code still loads. */
  readonly asks?: (search: URLSearchParams) => FirstQuestion;
}

interface Action {
  readonly text: TextKey;
  /** What its screen is for: people who may not use it do not see the action. */
  readonly route: Route;
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
