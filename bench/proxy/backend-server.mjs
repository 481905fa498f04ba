/** A backend in Node, for machines without nginx; the argument says on how many ports. */
import { createServer } from "node:http";
import { answer } from "./answers.mjs";
import { listen } from "./node-process.mjs";

await listen(...Array.from({ length: Number(process.argv[2]) }, () => createServer(answer)));
