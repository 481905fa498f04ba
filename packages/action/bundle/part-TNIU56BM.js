import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
import{d as a}from"./part-OCTBY3CE.js";import"./part-F3VTKHPI.js";import"./part-SH4TH7G5.js";import"./part-BLN7KHSF.js";export{a as loadCanvas};
