/** Ends a play whose next write the store cannot hold. These writes are small and always fit. */
import type { PlayError } from '@weft/contracts';
import { numberEvents } from '../play-log.js';
import { withoutOutputs } from '../play-write.js';
import type { UnstorableError } from '../ports.js';
import { runEvents } from './write-events.js';
import type { Session } from './session.js';
import { effectsOfEmptyWrite, fieldsUnsetAtEnd, turnsKeptAtEnd, type SessionWrite } from './write-fields.js';

/**
 * FAIL with what is stored. What is not stored is lost, and a retry of the play calls those layers again. The second write is
 * for a play that has no room even for its own end.
 */
export function unstorableEndWrites(session: Session, why: UnstorableError['why'], at: Date): readonly SessionWrite[] {
  const end = endWith(session, errorOf(session, why), at);
  return [end, { ...end, write: withoutOutputs(end.write, at) }];
}

/** The end of a play that has no room left. */
export function playTooLargeError(ref: string | null): PlayError {
  const message =
    'The results and answers of this play are as large as one play may be (16 MB), so nothing more can be recorded. Return less from its layers, or answer them with less.';
  return { code: 'output_too_large', message, ref };
}

function endWith(session: Session, error: PlayError, at: Date): SessionWrite {
  const from = session.state === 'ON_HOLD' ? 'ON_HOLD' : 'RUN';
  const events = runEvents(session);
  events.push({ type: 'state', from, state: 'FAIL', at }, { type: 'end', state: 'FAIL', at });
  return {
    ...effectsOfEmptyWrite(session, 'final'),
    write: {
      match: { epoch: session.epoch, seq: session.seq, states: ['NEW', 'RUN', 'ON_HOLD'] },
      set: { state: 'FAIL', seq: session.seq + events.length, error, ...turnsKeptAtEnd(session, 'FAIL') },
      unset: fieldsUnsetAtEnd(session, 'FAIL'),
      touch: ['completedAt'],
      layers: [],
      log: numberEvents(session.seq, events),
    },
  };
}

function errorOf({ unstoredResults, waits, failedCalls, plan }: Session, why: UnstorableError['why']): PlayError {
  const position = [...unstoredResults, ...failedCalls, ...Object.values(waits)].at(-1)?.position;
  const ref = position === undefined ? null : (plan[position]?.ref ?? null);
  if (why === 'too_large') return playTooLargeError(ref);
  return { code: 'invalid_output', message: 'What the layer gave cannot be stored.', ref };
}
