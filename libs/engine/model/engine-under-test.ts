/** Test only. Every rule that the simulated world takes from the engine, so that a test can put a broken one in its place. */
import { acceptPlay } from '../src/accept.js';
import { decideCommand } from '../src/commands/commands.js';
import { applyWrite } from '../src/play-write.js';
import { dueWrite, reissueWrite, reapWrite, timeLimitWrite } from '../src/reconcile/reconcile.js';
import { isOwnerDead } from '../src/reconcile/sightings.js';
import { decideKeeping } from '../src/session/keeping.js';
import { decideGivingUp, decideLazyClaim, nextStep } from '../src/session/next-step.js';
import {
  onWriteStored,
  onLayerEnded,
  onLayersStarted,
  onConditionChecked,
  onWriteRefused,
} from '../src/session/session-events.js';
import { layersWaitingForPlays } from '../src/session/write-fields.js';
import { startSession } from '../src/session/session.js';
import { mayRunInParallel } from '../src/session/suspects.js';
import { PROTOCOL_TIMES } from '../src/times.js';
import { tooLateWrite } from '../src/too-late.js';
import { freeSlots, joinWrite, leaveWrite, turnsWrite } from '../src/turns.js';
import type { Play } from '../src/play.js';

export const ENGINE = {
  acceptPlay,
  startSession,
  nextStep,
  decideLazyClaim,
  decideGivingUp,
  decideKeeping,
  onLayersStarted,
  onConditionChecked,
  onLayerEnded,
  onWriteStored,
  onWriteRefused,
  decideCommand,
  layersWaitingForPlays,
  /** The end of a play is forgotten once the layer that waits for it is set going. */
  forgetsEnds: (isSetGoing: boolean) => isSetGoing,
  reissueWrite,
  reapWrite,
  isOwnerDead,
  dueWrite,
  timeLimitWrite,
  tooLateWrite,
  applyWrite,
  freeSlots,
  joinWrite,
  leaveWrite,
  turnsWrite,
  /** Of the plays that wait in a queue, oldest first, the one that goes next. */
  nextInQueue: (waiting: readonly Play[]): Play | undefined => waiting[0],
  /** An index refuses a turn that another play has. */
  hasTurnIndex: true,
  times: PROTOCOL_TIMES,
  mayRunInParallel,
  /** How many suspects may share a process. */
  suspectsAtOnce: 2,
  /** A play is no longer a suspect when it has moved. */
  clearsSuspects: true,
  /** The end of a step is stored before the next one begins. */
  storesSteps: true,
  /** A process reads from a new primary once a majority has what that one wrote itself. */
  holdsReads: true,
  /** A request that has its connection is written to it only on a fresh proof of ownership. */
  provesWhenSent: true,
};

export type Engine = typeof ENGINE;
