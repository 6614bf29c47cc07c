/** The client of the HTTP API: docs/client.md. The types of the API: `npm run docs` writes them from the OpenAPI document. */
export type { components, operations, paths, webhooks } from './api-types.js';
export type { CallOptions, WeftOptions } from './http/connection.js';
export { Pages, type Page } from './http/pages.js';
export { isWeftError, WeftError, type ErrorCode, type Problem } from './http/weft-error.js';
export type { ChangeOptions, TaggedDocument } from './resources/flows.js';
export {
  RunsInterrupted,
  type BatchItem,
  type BatchRun,
  type EndedRun,
  type RunAnswer,
  type RunRequest,
} from './resources/runs.js';
export { parseJson, withExactJson, writeJson } from './json.js';
export type { FileBody, UploadOptions } from './resources/files.js';
export type { PlayFilters } from './resources/plays.js';
export type { Flow, FlowDocument, Layer, Me, Play, PlayLayer, PlayState } from './resources/schemas.js';
export type { Change, FollowOptions } from './streams/changes.js';
export type { FrameType, PlayFrame } from './streams/frames.js';
export { WaitTimeout, type PlayOutcome, type WaitOptions } from './streams/wait-for-play.js';
export type { WatchOptions } from './streams/watch-play.js';
export { verifyWebhook, WebhookNotVerified, type VerifyOptions, type WebhookEvent } from './verify-webhook.js';
export { VERSION } from './version.js';
export { Weft } from './weft.js';
