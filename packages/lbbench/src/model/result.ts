import type * as stored from "./result-schema.js";

/** The machine a run was made on. */
export interface Environment extends stored.Of<typeof stored.environment> {}

/** The identity of a step: target x level x trial. */
export interface StepKey extends stored.Of<typeof stored.stepKey> {}

/** A step that was executed, and what came of it. */
export interface StepResult extends stored.Of<typeof stored.stepResult> {}

/** A file that was imported. */
export interface ImportedFile extends stored.Of<typeof stored.importedFile> {}

/** Where a result comes from that lbbench has not measured. */
export interface Imported extends stored.Of<typeof stored.imported> {}

/** The content of result.json, version 1. */
export interface Result extends stored.Of<typeof stored.resultSchema> {}
