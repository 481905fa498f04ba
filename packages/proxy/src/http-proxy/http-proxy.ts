/** http-proxy, loaded so that it prints no deprecation warning. The order of the imports matters. */
import { restoreExtend } from "./replace-deprecated-extend.js";
import httpProxy from "http-proxy";

restoreExtend();

export { httpProxy };
