// Makes util._extend warn on its first call, as it does from Node 22 on.
import util from "node:util";

util._extend = util.deprecate(util._extend, "The `util._extend` API is deprecated.", "DEP0060");
