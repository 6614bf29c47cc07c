import { AsyncLocalStorage } from 'node:async_hooks';

import type { Span } from './tracing/tracing.js';

/** For which request or play the current work is done. */
export interface WorkContext {
  /** Id of the HTTP request that asked for the work; every line logged meanwhile has it. */
  readonly request_id?: string;
  /** The current span. Null: not traced. Left out: new work may begin a trace. */
  readonly span?: Span | null;
}

/** Entered once per request by the HTTP server, and once per hand-out of a play by the worker. */
export const WORK_CONTEXT = new AsyncLocalStorage<WorkContext>();
