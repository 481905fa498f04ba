import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
import{a,b}from"./part-TMVT2BWP.js";import"./part-BDOP72S2.js";import"./part-FPMAG7C4.js";import"./part-BAOACCJO.js";import"./part-BLN7KHSF.js";export{b as checkHttp2Request,a as http2Request};
