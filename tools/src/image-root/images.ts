/** What an image contains beside the packages it depends on. */
export interface ImageContents {
  /** Folder of the workspace whose program runs in the image. */
  readonly workspace: string;
  /** Files and folders of that workspace. */
  readonly files: readonly string[];
}

export const images = {
  server: {
    workspace: "reference-server",
    files: ["package.json", "bin", "dist", "migrations", "locales", "assets", "web/dist"],
  },
  proxy: { workspace: "proxy", files: ["package.json", "bin", "dist"] },
  /** The example service of compose.yaml. */
  contracts: { workspace: "examples/contracts-express", files: ["package.json", "dist"] },
} satisfies Readonly<Record<string, ImageContents>>;

export type ImageName = keyof typeof images;

/** The same for every package of this repository that one of them depends on. */
export const libraryFiles = ["package.json", "dist"];
