import { FairSemaphore } from '@weft/concurrency';
import type { Play } from '@weft/engine';
import { aPlay } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { continueFailed, hasArgs } from './continue-failed.js';

const LONG_AGO = new Date('2020-01-01T00:00:00.000Z');
const NOW = new Date('2030-01-01T00:00:00.000Z');

function failedPlay(over: Partial<Play> = {}): Play {
  const play = aPlay({ playId: 'failed', idempotencyKey: 'k', args: { order: 1, headers: { attempt: 1 } } });
  return { ...play, state: 'FAIL', completedAt: LONG_AGO, ...over };
}

type Input = Parameters<typeof continueFailed>[1];

async function repeat(
  failed: Play,
  input: Partial<Input> = {},
  when: { readonly dueAt?: Date } = {},
  versions = [failed.version],
  whole = failed,
  version: object = { layers: [], settings: {} },
) {
  const inserts: Play[] = [];
  const accepted = await continueFailed(
    failed,
    { args: failed.args, ...input },
    { triggeredBy: 'u', dueAt: null, ...when },
    {
      payloads: {
        share: () => Promise.resolve(true),
        letGo: () => Promise.resolve(),
        argsOf: () => Promise.resolve({ order: 7 }),
        userFiles: { shareAll: () => Promise.resolve() },
      } as unknown as Parameters<typeof continueFailed>[3]['payloads'],
      acceptance: {
        acceptPrepared: (play) => {
          inserts.push(play);
          return Promise.resolve({ play, replayed: false });
        },
      },
      versions: {
        find: (_scope, _flowId, number) => Promise.resolve(versions.includes(number) ? (version as never) : null),
      },
      store: { find: () => Promise.resolve(whole) },
      places: new FairSemaphore(1),
      nextPlayId: () => 'next',
      serverNow: () => NOW.getTime(),
    },
  );
  return { accepted, inserts };
}

describe('the repetition of a run whose play has failed', () => {
  it('is the retry of that play: with its key, and in its chain', async () => {
    const { accepted, inserts } = await repeat(failedPlay());
    expect(accepted).toMatchObject({ replayed: false, continues: 'failed', play: { _id: 'next', retryOf: 'failed' } });
    expect(inserts).toMatchObject([{ key: 'k', chain: { first: 'failed' }, triggeredBy: 'u', state: 'NEW' }]);
  });

  it('takes over what the play has done, which whoever holds a key is read without', async () => {
    const done = {
      position: 0,
      ref: 'charge',
      state: 'DONE',
      attempts: 1,
      by: 'owner',
    } as never as Play['layers'][number];
    const failed = failedPlay({ layers: [done] });
    const whole = { ...failed, layers: [{ ...done, out: { json: { receipt: 7 } } }] };
    const version = { layers: [{ ref: 'charge' }, { ref: 'mail' }], settings: {} };
    const { inserts } = await repeat(failed, {}, {}, [failed.version], whole, version);
    expect(inserts[0]?.layers).toMatchObject([{ ref: 'charge', out: { json: { receipt: 7 } } }]);
  });

  it('starts when it says, under the id that it has been given', async () => {
    const dueAt = new Date(NOW.getTime() + 60_000);
    const { inserts } = await repeat(failedPlay(), { playId: 'slot' }, { dueAt });
    expect(inserts).toMatchObject([{ _id: 'slot', state: 'DEFERRED', dueAt }]);
  });

  it.each<[string, Partial<Play>, Partial<Input>]>([
    ['has other args', {}, { args: { order: 2 } }],
    ['has other args than those that are stored apart', { argsRef: { $ref: 'x', bytes: 1 } }, {}],
    ['names another version', {}, { namedVersion: 9 }],
    ['comes after the results of the play were erased', { layersErasedAt: LONG_AGO }, {}],
    ['comes after the version was erased', { version: 9 }, {}],
  ])('is a run of its own when it %s', async (_when, play, input) => {
    const failed = failedPlay(play);
    expect(await repeat(failed, input, {}, [1])).toEqual({ accepted: null, inserts: [] });
  });

  it('is known by the args that do not differ with each attempt', async () => {
    const args = { order: 1, headers: { attempt: 2 } };
    expect((await repeat(failedPlay(), { args })).accepted).toBeNull();
    expect((await repeat(failedPlay(), { args, ownArgs: ['headers'] })).accepted).toMatchObject({
      continues: 'failed',
    });
    expect((await repeat(failedPlay(), { args: { ...args, order: 2 }, ownArgs: ['headers'] })).accepted).toBeNull();
  });
});

it('args that are stored apart are compared as they are there', async () => {
  const stored = { argsOf: () => Promise.resolve({ order: 7 }) };
  const play = failedPlay({ args: {}, argsRef: { $ref: 'x', bytes: 1 } });
  expect(await hasArgs(play, { order: 7 }, stored)).toBe(true);
  expect(await hasArgs(play, {}, stored)).toBe(false);
});
