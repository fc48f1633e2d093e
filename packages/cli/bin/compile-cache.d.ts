export function compileCacheFolder(user: {
  env: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  home: string;
  uid: number | undefined;
}): string | undefined;
