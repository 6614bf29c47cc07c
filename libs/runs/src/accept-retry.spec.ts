import type { Play } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import { aPlay } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { acceptRetry } from './accept-retry.js';
import type { AcceptedRun } from './run-input.js';

const PLAY: Play = { ...aPlay({ playId: 'retry' }), retryOf: 'failed' };

/** Asks for a retry that is answered so. @returns the ids of plays that let go of their payloads, and what was inserted */
async function ask(terms: { readonly hasSharedId?: boolean }, answer: (play: Play) => Omit<AcceptedRun, 'play'>) {
  const letGo: string[] = [];
  const inserts: Play[] = [];
  const accepted = acceptRetry(
    PLAY,
    {
      payloads: {
        share: () => Promise.resolve(true),
        letGo: (_scope, ids) => Promise.resolve(letGo.push(...ids)),
        userFiles: { shareAll: () => Promise.resolve() },
      },
      acceptance: {
        acceptPrepared: async (play) => {
          inserts.push(play);
          return { play, ...answer(play) };
        },
      },
    },
    terms,
  );
  return { accepted: await accepted.catch(String), letGo, inserts };
}

function full(): never {
  throw new WeftError('backlog_full', 'The backlog is full.');
}

describe('a retry that is not made', () => {
  const answers: readonly (readonly [why: string, answer: () => Omit<AcceptedRun, 'play'>])[] = [
    ['the backlog is full', full],
    ['another play has its key, or its place', () => ({ replayed: true })],
  ];

  it.each(answers)('because %s lets go of what it shares', async (_why, answer) => {
    expect((await ask({}, answer)).letGo).toEqual(['retry']);
  });

  it.each(answers)('because %s leaves it to another one with its id, which may be inserted', async (_why, answer) => {
    expect((await ask({ hasSharedId: true }, answer)).letGo).toEqual([]);
  });
});
