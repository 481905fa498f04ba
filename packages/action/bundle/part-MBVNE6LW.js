import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
import{a,b}from"./part-AKR4K7UJ.js";import"./part-2A6UQROL.js";import"./part-XLOZ5Q47.js";import"./part-4OUX4UK6.js";import"./part-BLN7KHSF.js";export{b as checkHttp2Request,a as http2Request};
