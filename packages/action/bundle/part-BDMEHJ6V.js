import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
import{a,b}from"./part-WWKEPHVT.js";import"./part-Z6JLKBNL.js";import"./part-6UF5P3T7.js";import"./part-BLN7KHSF.js";export{b as checkHttp2Request,a as http2Request};
