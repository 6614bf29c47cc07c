/** Test only. Every rule that the simulated world takes from the engine, so that a test can put a broken one in its place. */
import { acceptPlay } from '../accept.js';
import { decideCommand } from '../commands/commands.js';
import { applyWrite } from '../play-write.js';
import { dueWrite, raiseWrite, reapWrite, timeLimitWrite } from '../reconcile/reconcile.js';
import { isOwnerDead } from '../reconcile/sightings.js';
import { abandon, lazy, next } from '../session/decide.js';
import { applied, called, calling, checked, refused } from '../session/outcomes.js';
import { take } from '../session/session.js';
import { mayRunBeside } from '../session/suspects.js';
import { PROTOCOL_TIMES } from '../times.js';

export const ENGINE = {
  acceptPlay,
  take,
  next,
  lazy,
  abandon,
  calling,
  checked,
  called,
  applied,
  refused,
  decideCommand,
  raiseWrite,
  reapWrite,
  isOwnerDead,
  dueWrite,
  timeLimitWrite,
  applyWrite,
  times: PROTOCOL_TIMES,
  mayRunBeside,
  /** How many suspects may share a process. */
  suspectsAtOnce: 2,
  /** A suspect is none any more when its cursor has moved. */
  clearsSuspects: true,
};

export type Engine = typeof ENGINE;
