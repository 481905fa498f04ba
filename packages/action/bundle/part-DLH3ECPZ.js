import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
import{a,b,c}from"./part-OSOD4ZL2.js";import"./part-LAPOTYZD.js";import"./part-6TEDEKTO.js";import"./part-BLN7KHSF.js";export{c as findMethod,a as parseGrpcTarget,b as resolveCall};
