/** What one kind of database does in its own words. `Session` is what layers use, and is the same for all. */
import type { Socket } from 'node:net';
import type { Answer } from './answer.js';
import type { DatabasePlace, Engine } from './database-place.js';
import type { MessageGuard, RoomForMessage } from './message-guard.js';

export interface Statement {
  /** With the places that the database has: `$1`, `$2`, … or `?`. */
  readonly text: string;
  readonly values: readonly unknown[];
  /** For messages: what the values are called. */
  readonly where: string;
  /** In lower case. */
  readonly firstWord: string;
}

/** How a call uses the session. */
export interface SessionUse {
  readonly playId: string;
  readonly timeoutMs: number;
  readonly isReadOnly: boolean;
  readonly signal: AbortSignal;
  /** Without it, the call receives little. */
  readonly room?: Room;
}

/** Room in the memory of the process for what a call receives. */
export interface Room {
  /** @param bytes of all its rows so far @returns a promise only where the call has to wait */
  forRows(bytes: number): Promise<unknown> | undefined;
  forMessage: RoomForMessage;
}

export const ISOLATIONS = ['read committed', 'repeatable read', 'serializable'] as const;
export type Isolation = (typeof ISOLATIONS)[number];

/** Where a statement stands. */
export interface Standing {
  /** Outside of one, what the statement changes is committed when its rows have been taken, and not before. */
  readonly isInTransaction: boolean;
  readonly isReadOnly: boolean;
}

/** A connection that is logged in. It runs one thing at a time. */
export interface Database {
  readonly engine: Engine;
  readonly guard: MessageGuard;
  /** @throws LayerFailure `invalid_args` for what the database cannot do there */
  run(statement: Statement, standing: Standing): Answer;
  /** Commands of Weft itself, which give no rows. */
  say(command: string): Answer;
  /** What holds for a call. */
  settle(use: SessionUse): Answer;
  /** The commands that begin a transaction. A read-only one cannot become another. */
  begins(isolation: Isolation | null, isReadOnly: boolean): readonly string[];
  /** Makes the connection as it was when it was logged in. */
  reset(): Answer;
  /** Asks the server, over another connection, to end what runs. */
  cancel(signal: AbortSignal): Promise<void>;
}

/** How a database is reached. */
export interface Ways {
  /** Connected, without TLS. */
  dial(signal: AbortSignal): Promise<Socket>;
  /** TLS, when the server has agreed to it. */
  encrypt(raw: Socket, signal: AbortSignal): Promise<Socket>;
  /** Another connection, logged in. */
  again(signal: AbortSignal): Promise<Database>;
  /** Notes what ends when nobody waits for the login any more. */
  opened(one: { destroy(): unknown }): void;
}

/** @param signal of the login alone */
export type LogIn = (place: DatabasePlace, ways: Ways, signal: AbortSignal) => Promise<Database>;
