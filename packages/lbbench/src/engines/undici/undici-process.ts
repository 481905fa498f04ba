/** The process that generates load: called by the engine over its channel. */
import { serveChild } from "../../system/fork.js";
import { createGenerator } from "../generator.js";
import { undiciClients } from "./clients.js";

serveChild(createGenerator(undiciClients));
