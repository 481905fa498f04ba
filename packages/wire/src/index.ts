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
export { HTTP2, Http2Error, nameHttp2Error } from "./http2/errors.js";
export { checkFields, type Fields, type FieldsKind } from "./http2/fields.js";
export { PREFACE } from "./http2/frames.js";
export { Http2Connection, type Goaway, type Http2Options } from "./http2/http2-connection.js";
export { Http2Stream, type StreamLoss } from "./http2/http2-stream.js";
