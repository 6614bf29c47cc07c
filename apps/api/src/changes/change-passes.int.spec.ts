import { ChangeLog, ChangeSequencer, FIRST_LIVE, Mongo } from '@weft/store';
import { describe, expect, it } from 'vitest';
import { liveApi } from '../../../../test/api/live-api.js';
import { storedFlow, storedPlays } from '../../../../test/api/stored-play.js';
import { ChangePasses } from './change-passes.js';

const { app, mongo, person } = await liveApi();
const log = new ChangeLog(mongo);

describe('the present of a change log', () => {
  it('is before everything that comes later, also while the first walk lasts', async () => {
    const editor = await person('flow_editor');
    const newPlay = storedPlays(mongo, editor);
    const flowId = await storedFlow(mongo, editor);
    const early = await newPlay(flowId);
    const passes = new ChangePasses(app.get(Mongo));
    await passes.drain(); // its passes end before the walk does
    const present = await passes.present(editor.scope);
    const later = await newPlay(flowId);
    await new ChangeSequencer(mongo).pass(editor.scope);
    const batches = await log.read(editor.scope, present, 100);
    expect(batches.flatMap(({ plays }) => plays.map(({ playId }) => playId))).toEqual([early._id, later._id]);
    expect(batches[0]?.n).toBeLessThan(FIRST_LIVE);
  });

  it('is after what was stored when the first walk is over', async () => {
    const editor = await person('flow_editor');
    await storedPlays(mongo, editor)(await storedFlow(mongo, editor));
    const present = await new ChangePasses(app.get(Mongo)).present(editor.scope);
    expect(present).toBe(FIRST_LIVE);
    expect(await log.read(editor.scope, present, 100)).toEqual([]);
  });
});
