/** One entry of `packages` in package-lock.json. */
export interface LockedPackage {
  readonly link?: boolean;
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Removes the packages that nothing but the console depends on. */
export declare function removeConsolePackages(root: string): void;

/** The folders of the packages that this workspace depends on in production and no other one does. */
export declare function packagesOnlyOf(
  packages: Readonly<Record<string, LockedPackage>>,
  workspace: string,
): string[];
