/** The process that makes calls: called by the engine over its channel. */
import { serveChild } from "../../system/fork.js";
import { createGenerator } from "../generator.js";
import { grpcCallers } from "./callers.js";

serveChild(createGenerator(grpcCallers));
