import type { FrameType } from '@weft/contracts';
import { endWrite, journal, type Play } from '@weft/engine';
import { CHANGE_BATCHES, ChangeLog, MongoPlayStore, PLAYS, playKeyOf, type ChangeBatchDocument } from '@weft/store';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Person } from '../../../../test/api/live-api.js';
import { resultAt, storedFlow, storedPlays } from '../../../../test/api/stored-play.js';

const { mongo, person } = await liveApi();
const store = new MongoPlayStore(mongo, { outcomePatienceMs: 5_000 });

interface Line {
  readonly cursor: string;
  readonly playId?: string;
  readonly flowId: string;
  readonly seq: number;
  readonly type: FrameType;
  readonly state: string | null;
  readonly ref: string | null;
}

const read = async (by: Person, query = ''): Promise<Line[]> => {
  const { status, body } = await by.send('GET', `/api/v1/changes${query}`);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  const lines = textOf(body).split('\n');
  expect(lines.pop()).toBe('');
  return lines.map((line) => JSON.parse(line) as Line);
};

/** Everything from a cursor on, as a client reads it. */
async function readAll(by: Person, cursor: string, more = ''): Promise<{ lines: Line[]; cursor: string }> {
  const lines: Line[] = [];
  for (let at = cursor; ;) {
    const page = await read(by, `?cursor=${at}${more}`);
    at = page.at(-1)?.cursor ?? at;
    if (page[0]?.playId === undefined) return { lines, cursor: at };
    lines.push(...page);
  }
}

async function cancel(play: Play): Promise<Play> {
  await store.write(playKeyOf(play), endWrite(play, { code: 'cancelled', message: 'spec', ref: null }, new Date()));
  const ended = await mongo.collection<Play>(PLAYS).findOne({ _id: play._id });
  if (!ended) throw new Error('the play is gone');
  return ended;
}

const named = (lines: readonly Line[]) => lines.map(({ playId, seq, type }) => `${playId} ${seq} ${type}`);
const ofJournal = (play: Play) => journal(play).map(({ playId, seq, type }) => `${playId} ${seq} ${type}`);

describe('GET /changes', () => {
  it('gives every frame of every play once and in order, as the plays’ own streams have them', async () => {
    const editor = await person('flow_editor');
    const newPlay = storedPlays(mongo, editor);
    const flowId = await storedFlow(mongo, editor);
    const early = await cancel(await newPlay(flowId));
    const first = await readAll(editor, 'start');
    expect(named(first.lines)).toEqual(ofJournal(early));
    const open = await newPlay(flowId);
    expect((await readAll(editor, first.cursor)).lines).toEqual([]);
    const ended = await cancel(open);
    const second = await readAll(editor, first.cursor);
    expect(named(second.lines)).toEqual(ofJournal(ended));
    expect(second.lines.map(({ state }) => state)).toEqual(['FAIL', null]);
    expect(named((await readAll(editor, 'start')).lines)).toEqual([...ofJournal(early), ...ofJournal(ended)]);
  });

  it('gives a play with more results than one read, over pages, without a gap', async () => {
    const editor = await person('flow_editor');
    const flowId = await storedFlow(mongo, editor);
    const at = new Date();
    const count = 700;
    const entries = Array.from({ length: count }, (_one, i) => [
      { seq: 2 * i + 2, type: 'start', layer: i, ref: `l${i}`, name: `l${i}`, at } as const,
      { seq: 2 * i + 3, type: 'complete', layer: i, state: 'DONE', at } as const,
    ]).flat();
    const play = await storedPlays(mongo, editor)(flowId, {
      seq: 2 * count + 1,
      log: [{ seq: 1, type: 'accepted', at }, ...entries],
      layers: Array.from({ length: count }, (_one, i) => resultAt(i, `l${i}`)),
    });
    const { lines } = await readAll(editor, 'start');
    expect(named(lines)).toEqual(ofJournal(play));
    expect(lines.at(-1)).toMatchObject({ ref: `l${count - 1}`, state: 'DONE', type: 'layer_complete' });
  });

  it('begins with what comes from now on, and waits for it', async () => {
    const editor = await person('flow_editor');
    const flowId = await storedFlow(mongo, editor);
    const newPlay = storedPlays(mongo, editor);
    await cancel(await newPlay(flowId));
    const [now, ...none] = await read(editor);
    expect([now?.playId, none]).toEqual([undefined, []]);
    const waiting = read(editor, `?cursor=${now?.cursor}&wait=30`);
    const ended = await cancel(await newPlay(flowId));
    const { lines } = await readAll(editor, now?.cursor ?? '');
    expect(named(await waiting)).toEqual(named(lines));
    expect(named(lines)).toEqual(ofJournal(ended));
  });

  it('gives the types that were asked for', async () => {
    const editor = await person('flow_editor');
    await cancel(await storedPlays(mongo, editor)(await storedFlow(mongo, editor)));
    const { lines } = await readAll(editor, 'start', '&types=play_complete');
    expect(lines.map(({ type }) => type)).toEqual(['play_complete']);
    expect((await editor.send('GET', '/api/changes?types=layer_progress')).status).toBe(400);
  });

  it('shows only plays of flows that the caller may read, and none of another company', async () => {
    const editor = await person('flow_editor');
    const newPlay = storedPlays(mongo, editor);
    const open = await cancel(await newPlay(await storedFlow(mongo, editor)));
    const hidden = await cancel(await newPlay(await storedFlow(mongo, editor, {}, { restricted: true })));
    const { companyId } = editor.scope;
    expect(named((await readAll(editor, 'start')).lines)).toEqual([...ofJournal(open), ...ofJournal(hidden)]);
    expect(named((await readAll(await person('viewer', companyId), 'start')).lines)).toEqual(ofJournal(open));
    expect((await readAll(await person('none', companyId), 'start')).lines).toEqual([]);
    expect((await readAll(await person('admin'), 'start')).lines).toEqual([]);
  });

  it('refuses a cursor of another feed and from the future with a fresh one', async () => {
    const [mine, other] = [await person('admin'), await person('admin')];
    const { cursor } = (await read(mine))[0] ?? { cursor: '' };
    for (const foreign of [(await read(other))[0]?.cursor ?? '', cursor.replace(/\.\w+/, '.zzzzzzz')]) {
      const { status, body } = await mine.send('GET', `/api/changes?cursor=${foreign}`);
      expect([status, textOf(body.code)]).toEqual([410, 'cursor_expired']);
      expect((await read(mine, `?cursor=${textOf(body.cursor)}`))[0]?.playId).toBeUndefined();
    }
    for (const wrong of ['cursor=x', 'cursor=', 'wait=31', 'wait=-1', 'since=1']) {
      expect([wrong, (await mine.send('GET', `/api/changes?${wrong}`)).status]).toEqual([wrong, 400]);
    }
  });

  it('refuses a cursor after which changes were deleted with their plays, and no other', async () => {
    const editor = await person('flow_editor');
    const newPlay = storedPlays(mongo, editor);
    const flowId = await storedFlow(mongo, editor);
    const begun = (await readAll(editor, 'start')).cursor;
    const ended: { readonly play: Play; readonly cursor: string }[] = [];
    for (let i = 0; i < 3; i += 1) {
      const play = await cancel(await newPlay(flowId));
      ended.push({ play, cursor: (await readAll(editor, ended.at(-1)?.cursor ?? begun)).cursor });
    }
    const [first, second, third] = ended.map(({ play }) => play);
    expect(named((await readAll(editor, begun)).lines)).toEqual(ended.flatMap(({ play }) => ofJournal(play)));
    await mongo.collection<Play>(PLAYS).deleteMany({ _id: { $in: [first?._id ?? '', second?._id ?? ''] } });
    const ofCompany = { company_id: editor.scope.companyId };
    const old = { $set: { at: new Date(Date.now() - 7_200_000) } };
    await mongo.collection<ChangeBatchDocument>(CHANGE_BATCHES).updateMany(ofCompany, old);
    await new ChangeLog(mongo).trim(editor.scope, 0, 100);
    const { status, body } = await editor.send('GET', `/api/changes?cursor=${begun}`);
    expect([status, textOf(body.code)]).toEqual([410, 'cursor_expired']);
    for (const cursor of [textOf(body.cursor), ended[1]?.cursor, 'start']) {
      expect(named((await readAll(editor, cursor ?? '')).lines)).toEqual(third && ofJournal(third));
    }
  });
});
