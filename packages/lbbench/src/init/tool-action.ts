import { createRequire } from "node:module";
import { actionReference, type PackageOrigin } from "./action-reference.js";

const manifest = createRequire(import.meta.url)("../../package.json") as PackageOrigin;

/** The Action that belongs to this version, as a workflow names it; from the package.json that was published. */
export const TOOL_ACTION = actionReference(manifest);
