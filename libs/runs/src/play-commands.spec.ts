import { PROTOCOL_TIMES, type Command } from '@weft/engine';
import type { AuditEntryInput } from '@weft/store';
import { expect, it } from 'vitest';
import { PlayCommands, type CommandedPlay } from './play-commands.js';

const NOW = 1_800_000_000_000;
const WAITING: CommandedPlay = {
  ...{ _id: 'p1', company_id: 'c1', flowId: 'f1', state: 'WAIT', epoch: 1, seq: 3, cursor: 0, layers: [] },
  waits: { 0: { position: 0, ref: 'w', kind: 'event', since: new Date(NOW), until: null } },
} as unknown as CommandedPlay;
const RESUME: Command = { kind: 'resume', position: 0, payload: {} };

/** @param stores for each attempt to write, whether it is stored, or the error that it ends with */
function setUp(stores: readonly (boolean | null | Error)[]) {
  const left = [...stores];
  const next = async () => {
    const outcome = left.length > 0 ? (left.shift() as boolean | null | Error) : false;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  const did: unknown[][] = [];
  const commands = new PlayCommands({
    mongo: { serverNow: () => NOW },
    store: { write: next as () => Promise<boolean>, writeAudited: next as () => Promise<boolean>, writeWith: next },
    doorbell: { ring: async (jobs) => did.push(['ring', ...jobs.map(({ epoch }) => epoch)]) > 0 },
    windowRoom: {
      take: async (_company, ids) => ({ ids: new Set(ids), fresh: ids }),
      giveBack: (_company, { ids }) => void did.push(['give back', ...ids]),
    },
    changes: {
      written: ({ _id }) => void did.push(['written', _id]),
      unanswered: ({ _id }, { set }) => void did.push(['unanswered', _id, set.state]),
    },
  });
  return { commands, did };
}

const resume = (play: CommandedPlay | null) => play && { play, command: RESUME };

it('rings for a play that goes on, after the write is passed on', async () => {
  const { commands, did } = setUp([true]);
  const applied = await commands.apply({ read: async () => WAITING, order: resume });
  expect(applied).toMatchObject({ kind: 'written', job: { playId: 'p1', epoch: 2 } });
  expect(did).toEqual([
    ['written', 'p1'],
    ['ring', 2],
  ]);
});

it('reads again what changed, and gives the place of the lost write back', async () => {
  const { commands, did } = setUp([false, true]);
  let reads = 0;
  await commands.apply({ read: async () => ((reads += 1), WAITING), order: resume });
  expect(reads).toBe(2);
  expect(did[0]).toEqual(['give back', 'p1']);
});

it('gives the place back and writes nothing when what is to be stored with it declines', async () => {
  const { commands, did } = setUp([null]);
  const order = (play: CommandedPlay | null) => play && { play, command: RESUME, also: () => Promise.resolve(false) };
  expect(await commands.apply({ read: async () => WAITING, order })).toEqual({ kind: 'declined' });
  expect(did).toEqual([['give back', 'p1']]);
});

it('is contended when others were faster each time', async () => {
  const { commands } = setUp([]);
  expect(await commands.apply({ read: async () => WAITING, order: resume })).toEqual({ kind: 'contended' });
});

it('leaves the ring to a caller that has taken places for many', async () => {
  const { commands, did } = setUp([true]);
  const applied = await commands.apply({ read: async () => WAITING, order: resume, room: new Set(['p1']) });
  expect(applied).toMatchObject({ job: { playId: 'p1' } });
  expect(did).toEqual([['written', 'p1']]);
});

it('gives the place back of a play that is to be released later, and of one that refuses', async () => {
  const heldAt = new Date(NOW - PROTOCOL_TIMES.settleMs + 50);
  const held = { ...WAITING, state: 'ON_HOLD', held: 'RUN', heldAt, owner: undefined } as CommandedPlay;
  const { commands, did } = setUp([true]);
  let asked = 0;
  const applied = await commands.apply({
    read: async () => held,
    order: (play) => play && { play, command: { kind: (asked += 1) === 1 ? 'release' : 'hold' } },
  });
  expect(applied).toMatchObject({ kind: 'refused' });
  expect(did.every(([what]) => what === 'give back')).toBe(true);
  expect(asked).toBe(2);
});

it.each([undefined, {} as AuditEntryInput])(
  'has it found out what became of a write without an answer',
  async (entry) => {
    const lost = Object.assign(new Error('the answer was lost'), { name: 'MongoNetworkError' });
    const { commands, did } = setUp([lost]);
    const error = { code: 'cancelled', message: '', ref: null };
    const order = (play: CommandedPlay | null) =>
      play && { play, command: { kind: 'cancel' as const, error }, ...(entry && { entry }) };
    await expect(commands.apply({ read: async () => WAITING, order })).rejects.toBe(lost);
    expect(did).toEqual([['unanswered', 'p1', 'FAIL']]);
  },
);

it('asks nothing about a write that MongoDB has refused', async () => {
  const { commands, did } = setUp([new Error('refused')]);
  await expect(commands.apply({ read: async () => WAITING, order: resume })).rejects.toThrow('refused');
  expect(did).toEqual([]);
});
