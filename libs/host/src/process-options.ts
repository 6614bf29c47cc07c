import type { Type } from '@nestjs/common';
import type { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Settings } from '@weft/config';
import type { Clock, NewId } from '@weft/kernel';
import type { Mongo } from '@weft/persistence';
import type { Logger } from 'pino';

export type ProcessName = 'api' | 'worker' | 'realtime' | 'scheduler' | 'standalone';

/** What a boot task may use: everything that is open before Nest starts. */
export interface BootContext {
  readonly settings: Settings;
  readonly mongo: Mongo;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Logger;
}

/** Something that must be done before the process serves anything; several processes may do it at once. */
export interface BootTask {
  /** Shown when it fails: "Could not <name>: …". */
  readonly name: string;
  run(context: BootContext): Promise<unknown>;
}

export interface AdapterParts {
  readonly settings: Settings;
  readonly newId: NewId;
}

export interface ProcessOptions {
  readonly name: ProcessName;
  /** The app's Nest module. */
  readonly module: Type<unknown>;
  /** Read from the environment when not given. */
  readonly settings?: Settings;
  /** In order, before the app is made. */
  readonly bootTasks?: readonly BootTask[];
  /**
   * Makes the HTTP server of a process that serves an API, from `createAdapter()` or like it: body parsers, route hooks.
   * Errors are then the app's own filter's; a process without it answers unknown paths by itself.
   */
  readonly adapter?: (parts: AdapterParts) => FastifyAdapter;
  /** The last moment to change the app: socket handlers, OpenAPI, extra routes. */
  readonly beforeListen?: (app: NestFastifyApplication) => void | Promise<void>;
  readonly needs: {
    readonly database: true;
    /** True: without Redis this process cannot do its work and is unhealthy. */
    readonly queue: boolean;
    /** True: unhealthy until the installation has its first admin, whom another process makes. */
    readonly admin?: true;
  };
  /** Where log lines go besides the file; standard output by default. */
  readonly logOut?: { write(line: string): unknown };
  /**
   * True in tests and wherever someone else owns the process: no signal handlers, and a failed start rejects with a
   * `BootError` instead of ending the process.
   */
  readonly embedded?: boolean;
}

export interface RunningProcess {
  readonly app: NestFastifyApplication;
  readonly settings: Settings;
  /** Where it listens: `SERVER_PORT`, or what the system gave for port 0. */
  readonly port: number;
  /** Drains and closes; safe to call again, the first call counts. */
  stop(): Promise<void>;
}

/** The process cannot start; `message` is one sentence that says why and what to do. */
export class BootError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'BootError';
  }
}
