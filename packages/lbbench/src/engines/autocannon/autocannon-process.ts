/** The process that generates load: called by the engine over its channel. */
import { serveChild } from "../../system/fork.js";
import { createGenerator } from "../generator.js";
import { autocannonClients } from "./measuring-client.js";

serveChild(createGenerator(autocannonClients));
