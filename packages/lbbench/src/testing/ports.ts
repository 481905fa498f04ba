import { connectOnce } from "../system/listen.js";

/** Whether anything accepts connections at the address of a URL. */
export async function acceptsConnections(url: string): Promise<boolean> {
  try {
    await connectOnce(new URL(url), new AbortController().signal);
    return true;
  } catch {
    return false;
  }
}
