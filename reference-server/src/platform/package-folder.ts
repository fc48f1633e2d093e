/** The folder of this package, where migrations, assets and the console lie that ship beside the code. */
export const packageFolder: URL = new URL("../../", import.meta.url);
