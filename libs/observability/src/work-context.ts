import { AsyncLocalStorage } from 'node:async_hooks';

import type { Span } from './tracing/tracing.js';

/** For whom the work that goes on is done. */
export interface WorkContext {
  /** Of the HTTP request that asked for it; every line logged meanwhile carries it. */
  readonly request_id?: string;
  /** The span that goes on. Null: nothing of this is traced. Left out: what begins here may begin a trace. */
  readonly span?: Span | null;
}

/** Entered once per request by the HTTP server, and once per hand-out of a play by the worker. */
export const WORK_CONTEXT = new AsyncLocalStorage<WorkContext>();
