/** The end of a play of which the store cannot hold what was to be written next: small writes, which always fit. */
import type { PlayError } from '@weft/contracts';
import { numbered } from '../play-log.js';
import { withoutOutputs } from '../play-write.js';
import type { UnstorableError } from '../ports.js';
import { runEvent } from './events.js';
import type { Session } from './session.js';
import { finalUnset, unchanged, type SessionWrite } from './write-fields.js';

/**
 * FAIL with what is stored; what this worker has in hand is lost, and a retry of the play calls those layers again. The second
 * one is for a play from a version that counted otherwise, which may have no room for its own end.
 */
export function unstorableEnds(session: Session, why: UnstorableError['why'], at: Date): readonly SessionWrite[] {
  const end = endWith(session, errorOf(session, why), at);
  return [end, { ...end, write: withoutOutputs(end.write, at) }];
}

/** The end of a play that has no room left. */
export function tooLarge(ref: string | null): PlayError {
  const message =
    'The results and answers of this play are as large as one play may be (16 MB), so nothing more can be recorded. Return less from its layers, or answer them with less.';
  return { code: 'output_too_large', message, ref };
}

function endWith(session: Session, error: PlayError, at: Date): SessionWrite {
  const from = session.state === 'ON_HOLD' ? 'ON_HOLD' : 'RUN';
  const events = runEvent(session);
  events.push({ type: 'state', from, state: 'FAIL', at }, { type: 'end', state: 'FAIL', at });
  return {
    ...unchanged(session, 'final'),
    write: {
      match: { epoch: session.epoch, seq: session.seq, states: ['NEW', 'RUN', 'ON_HOLD'] },
      set: { state: 'FAIL', seq: session.seq + events.length, error },
      unset: finalUnset(session, false),
      touch: ['completedAt'],
      layers: [],
      log: numbered(session.seq, events),
    },
  };
}

function errorOf({ results, waits, failed, plan }: Session, why: UnstorableError['why']): PlayError {
  const position = [...results, ...failed, ...Object.values(waits)].at(-1)?.position;
  const ref = position === undefined ? null : (plan[position]?.ref ?? null);
  if (why === 'too_large') return tooLarge(ref);
  return { code: 'invalid_output', message: 'What the layer gave cannot be stored.', ref };
}
