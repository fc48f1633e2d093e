/** A document from the root, or one with another title than its own. */
export type Page = string | readonly [document: string, title: string];

export interface Part {
  readonly text: string;
  /** The document that the menu leads to. */
  readonly start: string;
  readonly groups: readonly { readonly text?: string; readonly pages: readonly Page[] }[];
}

export declare const navigation: readonly Part[];
export declare function navigated(): string[];
export declare function documentOf(page: Page): string;
