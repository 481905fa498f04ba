/** Made by `build/own-modules.mjs` when the action is bundled: modules that run as processes or threads of their own, by name. */
declare module "bundle:modules" {
  export const modules: ReadonlyMap<string, () => Promise<unknown>>;
}
