import { AsyncLocalStorage } from 'node:async_hooks';

/** What every line logged while a request is served carries. */
export interface LogContext {
  readonly request_id: string;
}

/** Entered once per request by the HTTP server. */
export const LOG_CONTEXT = new AsyncLocalStorage<LogContext>();
