/** Test only. What a simulated world is made of besides the stored plays. */
import type { Play } from '../src/play.js';
import type { PlayWrite } from '../src/play-write.js';
import type { Command } from '../src/commands/commands.js';
import type { Session } from '../src/session/session.js';
import type { WritePurpose, SessionWrite } from '../src/session/write-fields.js';
import type { Stepper } from './step-steps.js';

/** One step that the world can take next. */
export interface WorldStep {
  readonly what: string;
  readonly run: () => void;
}

export interface WorldSteps {
  readonly work: WorldStep[];
  readonly faults: WorldStep[];
  readonly commands: WorldStep[];
  /** The clock moves on, or what takes a while comes to its end. */
  readonly time: WorldStep[];
}

export interface Ring {
  readonly p: number;
  readonly epoch: number;
  readonly askedAt: number;
}

/** A BullMQ job: waiting while nobody holds it. */
export interface Job {
  readonly p: number;
  readonly epoch: number;
  /** In the queue of a label that its company had before: reconcilers do not look there. */
  isLeftBehind?: boolean;
  attempts: number;
  /** How often it was given back because its play waits for its turn among the suspects. */
  parkings: number;
  holder: Slot | null;
  /** A holder that does not run any more keeps its lock until then. */
  lockedUntil: number;
}

/** A place in a worker process, with the play that it works on. */
export interface Slot {
  readonly p: number;
  readonly epoch: number;
  readonly owner: string;
  readonly redelivered: boolean;
  readonly takenAt: number;
  /** What it has asked for, before it has the answer. */
  asks: { readonly play: Play } | null;
  session: Session | null;
  /** Of a play that may have killed a worker, until it has moved: its crashes. */
  suspect: { readonly crashes: number } | null;
  waitsForTurn: boolean;
  dropped: boolean;
  /** When the last write that proves ownership was sent. */
  proofAt: number;
  inFlight: { readonly write: SessionWrite; readonly sentAt: number } | null;
  /** A refused write's purpose: the play is to be read again. */
  rereadFor: WritePurpose | null;
  renewal: { readonly sentAt: number } | null;
  renewalLost: boolean;
  proving: boolean;
  /** What was known when each of the running calls started. */
  readonly asked: Map<number, Asked>;
  /** Positions whose last call touches the world. */
  readonly touching: Set<number>;
  /** Calls that wait for their connection, each with how many calls of the same step began before it. */
  readonly unsent: Map<number, number>;
  /** Of the calls of layers that work in steps. */
  readonly steppers: Map<number, Stepper>;
  abandoned: boolean;
  /** It is idle until something happens to it, or until this time. */
  rests: { readonly until: number | null } | null;
  /** Since when it may take its next step: a healthy process takes it soon. */
  since: number;
}

/** One running call of a slot. */
export interface Asked {
  readonly inbox: Session['inbox'];
  readonly wait: Session['waits'][string] | undefined;
  /** The play that the layer has started. */
  readonly hasEnded: boolean;
  /** By MongoDB's clock. */
  readonly at: number;
  readonly begunAt: number;
  /** It ends not before that. */
  readonly lastsUntil: number;
}

export interface Worker {
  readonly index: number;
  boot: number;
  frozen: boolean;
  /** Its connection to MongoDB is cut. */
  cut: boolean;
  /** Its commands go to a new primary, and a majority has answered none of its writes there. */
  unheard: boolean;
  stopping: boolean;
  readonly slots: (Slot | null)[];
}

/** A request of a process that died or froze after sending it. */
export interface Orphan {
  readonly p: number;
  readonly write: PlayWrite;
}

export type Reconciler =
  | { readonly at: 'first look' | 'second look'; readonly p: number; readonly play: Play }
  | { readonly at: 'between'; readonly p: number; readonly play: Play; readonly since: number }
  | { readonly at: 'raise' | 'reap' | 'due' | 'out of time' | 'too late'; readonly p: number; readonly play: Play };

export interface User {
  readonly p: number;
  readonly command: Command;
  read: Play | null;
  notBefore: number;
  /** As of when it decides, at least: MongoDB's clock. */
  at: number;
  attempts: number;
}

/** Offers a step of a slot. */
export type Push = (list: 'work' | 'faults', what: string, run: () => void) => void;

export function send({ now }: { readonly now: number }, slot: Slot, write: SessionWrite): void {
  slot.inFlight = { write, sentAt: now };
}
