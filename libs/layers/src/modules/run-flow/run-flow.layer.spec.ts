import { describe, expect, it } from 'vitest';
import { layerContext } from '../../layer-context.fixture.js';
import type { PlayEnd, StartPlayRequest } from '../../layer-module.js';
import { runFlow } from './run-flow.layer.js';

const END: PlayEnd = { playId: 'child', state: 'DONE', out: { text: 'x' }, error: null };

function setUp(ended: PlayEnd | null = null) {
  const asked: StartPlayRequest[] = [];
  const plays = {
    start: async (ask: StartPlayRequest) => {
      asked.push(ask);
      return { playId: 'child', state: ended?.state ?? 'RUN', ended };
    },
    ended: async () => ended,
  };
  const context = layerContext({ plays });
  const argsOf = (args: object) => runFlow.argsSchema.parse({ flowId: 'f', ...args });
  return {
    asked,
    begin: (args: object = {}) => runFlow.begin(argsOf(args), context),
    end: () => runFlow.end(argsOf({}), { payload: { kind: 'play', playId: 'child', state: 'DONE' } }, context),
  };
}

describe('run-flow', () => {
  it('starts a play and waits for it', async () => {
    const { begin, asked } = setUp();
    expect(await begin({ args: { a: 1 } })).toEqual({ wait: { kind: 'play', until: null, play: { playId: 'child' } } });
    expect(asked).toEqual([{ flowId: 'f', args: { a: 1 }, awaited: true }]);
  });

  it('goes on at once when it is not to wait', async () => {
    const { begin, asked } = setUp();
    expect(await begin({ wait: false })).toEqual({ done: { playId: 'child', state: 'RUN', out: null } });
    expect(asked).toMatchObject([{ awaited: false }]);
  });

  it('does not wait for a play that has ended', async () => {
    expect(await setUp(END).begin()).toEqual({ done: { playId: 'child', state: 'DONE', out: { text: 'x' } } });
    expect(await setUp({ ...END, state: 'SKIP', out: null }).begin()).toMatchObject({ done: { state: 'SKIP' } });
  });

  it('gives how the play ended that it waited for', async () => {
    expect(await setUp(END).end()).toEqual({ playId: 'child', state: 'DONE', out: { text: 'x' } });
  });

  it('fails with the play that it waited for, and keeps what that gave', async () => {
    const error = { code: 'bad_status', message: 'no', ref: 'fetch' };
    const failed = setUp({ ...END, state: 'FAIL', error });
    const failure = { code: 'child_failed', message: 'the play child failed with bad_status: no' };
    const out = { playId: 'child', state: 'FAIL', out: { text: 'x' } };
    await expect(failed.end()).rejects.toMatchObject({ ...failure, out });
    await expect(failed.begin()).rejects.toMatchObject({ ...failure, out });
  });

  it('fails when the play was deleted meanwhile', async () => {
    await expect(setUp().end()).rejects.toMatchObject({ code: 'child_failed' });
  });
});
