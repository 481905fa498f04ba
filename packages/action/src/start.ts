import { modules } from "bundle:modules";

/** What runs: a module of lbbench that has been started as a process or a thread of its own, or else the action. */
const start = modules.get(process.argv[2] ?? "") ?? (() => import("./main.js"));
await start();
