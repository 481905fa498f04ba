import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
import{d as a,e as b}from"./part-EEU773JL.js";import"./part-SH4TH7G5.js";import"./part-BLN7KHSF.js";export{b as PngUnavailableError,a as loadCanvas};
