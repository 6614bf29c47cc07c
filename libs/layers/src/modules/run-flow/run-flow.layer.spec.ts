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
  };
  const context = layerContext({ plays });
  const argsOf = (args: object) => runFlow.argsSchema.parse({ flowId: 'f', ...args });
  return {
    asked,
    start: (args: object = {}) => runFlow.start(argsOf(args), context),
  };
}

describe('run-flow', () => {
  it('starts a play and waits for it', async () => {
    const { start, asked } = setUp();
    expect(await start({ args: { a: 1 } })).toEqual({ waitsFor: 'child' });
    expect(asked).toEqual([{ flowId: 'f', args: { a: 1 }, awaited: true }]);
  });

  it('goes on at once when it is not to wait', async () => {
    const { start, asked } = setUp();
    expect(await start({ wait: false })).toEqual({ done: { playId: 'child', state: 'RUN', out: null } });
    expect(asked).toMatchObject([{ awaited: false }]);
  });

  it('gives how the play ended, once it has', async () => {
    expect(await setUp(END).start()).toEqual({ done: { playId: 'child', state: 'DONE', out: { text: 'x' } } });
    expect(await setUp({ ...END, state: 'SKIP', out: null }).start()).toMatchObject({ done: { state: 'SKIP' } });
  });

  it('fails with the play that it waited for, and keeps what that gave', async () => {
    const error = { code: 'bad_status', message: 'no', ref: 'fetch' };
    const failed = setUp({ ...END, state: 'FAIL', error });
    const failure = { code: 'child_failed', message: 'the play child failed with bad_status: no' };
    const out = { playId: 'child', state: 'FAIL', out: { text: 'x' } };
    await expect(failed.start()).rejects.toMatchObject({ ...failure, out });
  });
});
