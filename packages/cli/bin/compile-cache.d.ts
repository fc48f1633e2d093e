interface User {
  env: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  home: string;
  uid: number | undefined;
}

export function compileCacheFolder(user: User): string | undefined;
export function privateCacheFolder(user: User, name: string): string | undefined;
