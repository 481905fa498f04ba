export { findBareConnect, type ConnectBare } from "./bare-socket.js";
export { BodyScan } from "./body.js";
export {
  Connection,
  type ConnectionSocket,
  findDirectAccess,
  READ_BYTES,
  resetSocket,
  whyNoDirectAccess,
  type DirectAccess,
} from "./connection.js";
export { createDeadlines, tickFor, type Deadlines, type Timed } from "./deadlines.js";
export { Gathered } from "./gathered.js";
export { AnswerHead, RequestHead, type HeadOptions, type RequestHeadOptions } from "./head.js";
