import type { Socket } from "node:net";
import { Connection, type ConnectionSocket } from "../connection.js";

/** A connection that notes what it is told, and does what a test says. */
export class Recorder<Underlying extends ConnectionSocket = Socket> extends Connection<Underlying> {
  readonly events: string[] = [];
  text = "";
  error: (Error & { readonly code?: string }) | undefined;
  bytesDo: (piece: Buffer) => boolean = (piece) => {
    this.text += piece.toString("latin1");
    return true;
  };
  drainedDo: () => void = () => undefined;
  endDo: () => void = () => undefined;

  protected onBytes(bytes: Buffer, start: number, end: number): boolean {
    if (this.closed) this.events.push("bytes");
    return this.bytesDo(bytes.subarray(start, end));
  }

  protected onEnd(): void {
    this.events.push("end");
    this.endDo();
  }

  protected onDrained(): void {
    this.events.push("drained");
    this.drainedDo();
  }

  protected onClosed(error: Error | undefined): void {
    this.events.push("closed");
    this.error = error;
  }
}
