/**
 * http-proxy, loaded so that it prints no deprecation warning: it takes `util._extend` when it is loaded, and from Node 22
 * on the first call of that prints DEP0060. For the moment of loading it finds `Object.assign` there, which does the same
 * and is faster.
 */
import type HttpProxy from "http-proxy";
import { createRequire } from "node:module";
import util from "node:util";

type DeprecatedUtil = { _extend: unknown };

const deprecated = util as unknown as DeprecatedUtil;
const original = deprecated._extend;
deprecated._extend = Object.assign;
/** The package. */
export const httpProxy = createRequire(import.meta.url)("http-proxy") as typeof HttpProxy;
deprecated._extend = original;
