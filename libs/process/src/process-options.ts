import type { Type } from '@nestjs/common';
import type { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Settings } from '@weft/config';
import type { Clock, NewId } from '@weft/kernel';
import type { Mongo } from '@weft/store';
import type { Logger } from 'pino';

export type ProcessName = 'api' | 'worker' | 'realtime' | 'scheduler' | 'standalone';

/** What a startup task may use: everything that is open before Nest starts. */
export interface BootContext {
  readonly settings: Settings;
  readonly mongo: Mongo;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Logger;
}

/** A task that must be done before the process serves; several processes may run it at once. */
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
  /** In order, before the app is created. */
  readonly bootTasks?: readonly BootTask[];
  /**
   * Creates the HTTP server of a process that serves an API, from `createAdapter()` or similar: body parsers, route hooks.
   * The app's own filter then handles errors; a process without it answers unknown paths by itself.
   */
  readonly adapter?: (parts: AdapterParts) => FastifyAdapter;
  /** The last moment to change the app: socket handlers, OpenAPI, extra routes. */
  readonly beforeListen?: (app: NestFastifyApplication) => void | Promise<void>;
  readonly needs: {
    readonly database: true;
    /** True: without Redis this process cannot do its work and is unhealthy. */
    readonly queue: boolean;
    /** True: unhealthy until another process has created the installation's first admin. */
    readonly admin?: true;
  };
  /** Where log lines go in addition to the file; standard output by default. */
  readonly logOut?: { write(line: string): unknown };
  /**
   * True in tests and wherever other code owns the process: no signal handlers, and a failed start rejects with a
   * `BootError` instead of ending the process.
   */
  readonly embedded?: boolean;
}

export interface RunningProcess {
  readonly app: NestFastifyApplication;
  readonly settings: Settings;
  /** The port on which it listens: `SERVER_PORT`, or the one that the system chose for port 0. */
  readonly port: number;
  /** Drains and closes; further calls have no effect. */
  stop(): Promise<void>;
}

/** The process cannot start; `message` is one sentence that says why and what to do. */
export class BootError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'BootError';
  }
}
