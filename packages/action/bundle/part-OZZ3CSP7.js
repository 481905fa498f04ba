import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
import{a,b}from"./part-BBWFFCA6.js";import"./part-5OAIJYOH.js";import"./part-NP3JXJBM.js";import"./part-BLN7KHSF.js";export{b as checkHttp2Request,a as http2Request};
