import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
import{a}from"./part-PGYDII44.js";import"./part-BLN7KHSF.js";export{a as jsonReporter};
