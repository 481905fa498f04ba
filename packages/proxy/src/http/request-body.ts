import { Gathered } from "@lbbench/wire";

/**
 * The body of a request on its way from the client to a backend: what is kept of it, since the backend has not been sent
 * it, or since it may have to be sent again; and how fast it comes.
 */
export class RequestBody {
  /** Its length in bytes; -1 in chunks. */
  length = 0;
  /** All of it has come. */
  isWhole = true;
  /** The backend has been sent all of it, and told so. */
  isSent = true;
  /** Bytes that have come. */
  receivedBytes = 0;
  /** Lines that stand behind it, each with its line end, where it is whole; "" for none. */
  trailers = "";
  /** It can be sent once more from its beginning. */
  isReplayable = true;
  /** All of it is still kept. */
  isAllKept = true;
  readonly #kept = new Gathered();
  #sentOfKept = 0;
  /** Since when, and from which byte on, its rate is looked at. */
  #windowAt = 0;
  #windowBytes = 0;
  /** Since when the client is asked to wait; 0: it is not. */
  #waitsSince = 0;

  begin(now: number): void {
    this.isWhole = this.length === 0;
    this.isSent = false;
    this.receivedBytes = 0;
    this.trailers = "";
    this.isReplayable = true;
    this.isAllKept = true;
    this.watchRate(now);
  }

  /** Nothing of it has come, and from now on it is for the client to send it. */
  watchRate(now: number): void {
    this.#windowAt = now;
    this.#windowBytes = 0;
    this.#waitsSince = 0;
  }

  /** Keeps a piece. A body that grows longer than `bufferBytes` is not kept for another attempt. */
  take(bytes: Buffer, from: number, to: number, bufferBytes: number): void {
    const kept = this.#kept;
    if (this.receivedBytes > bufferBytes && this.isReplayable) {
      this.isReplayable = false;
      if (this.#sentOfKept > 0) this.#dropSent();
    }
    kept.append(bytes, from, to, bufferBytes);
  }

  #dropSent(): void {
    const rest = this.unsent();
    this.#kept.clear();
    this.#sentOfKept = 0;
    this.isAllKept = false;
    if (rest !== undefined) this.#kept.append(rest, 0, rest.length);
  }

  /** What the backend has not been sent, as one piece that is not changed any more; `undefined` for nothing. */
  unsent(): Buffer | undefined {
    return this.#sentOfKept === this.#kept.length ? undefined : this.#kept.view(this.#sentOfKept);
  }

  /** The backend has been sent all that there is. */
  noteSent(): void {
    if (this.isReplayable) this.#sentOfKept = this.#kept.length;
    else if (this.#kept.length > 0) {
      this.#kept.clear();
      this.isAllKept = false;
    }
  }

  /** The next attempt begins with the first byte. */
  rewind(): void {
    this.#sentOfKept = 0;
    this.isSent = false;
  }

  forget(): void {
    if (this.#kept.length > 0) this.#kept.clear();
    this.#sentOfKept = 0;
  }

  /** The client is asked to wait, or to go on. Meanwhile it is not the client that is slow. */
  wait(now: number): void {
    if (this.#waitsSince === 0) this.#waitsSince = now;
  }

  goOn(now: number): void {
    if (this.#waitsSince !== 0) this.#windowAt += now - this.#waitsSince;
    this.#waitsSince = 0;
  }

  /** Whether it comes at a rate below `bytesPerSecond`, which is looked at over so many ms. */
  isTooSlow(now: number, bytesPerSecond: number, overMs: number): boolean {
    const ms = (this.#waitsSince === 0 ? now : this.#waitsSince) - this.#windowAt;
    if (ms < overMs) return false;
    if ((this.receivedBytes - this.#windowBytes) * 1000 < bytesPerSecond * ms) return true;
    this.#windowAt += ms;
    this.#windowBytes = this.receivedBytes;
    return false;
  }
}
