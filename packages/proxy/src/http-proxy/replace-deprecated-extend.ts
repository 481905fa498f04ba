/**
 * http-proxy takes `util._extend` when it is loaded; from Node 22 on the first call of it prints the warning DEP0060.
 * For the moment of loading it finds `Object.assign` there, which does the same and is faster.
 */
import util from "node:util";

type DeprecatedUtil = { _extend: unknown };

const deprecated = util as unknown as DeprecatedUtil;
const original = deprecated._extend;
deprecated._extend = Object.assign;

/** Gives other modules of the process the original back. */
export function restoreExtend(): void {
  deprecated._extend = original;
}
