import { describe, expect, it } from 'vitest';
import type { PlayLayer } from '../../play/queries';
import { caseOf, outputsOf, replayOf } from './case-draft';

const layer = (ref: string, out: unknown, state = 'DONE') => ({ ref, out, state }) as PlayLayer;

describe('a case that is made from a play', () => {
  it('plays back what reached outside, and expects what the last run layer gave', () => {
    const outputs = outputsOf([
      layer('fetch', { statusCode: 200 }),
      layer('sum', { value: 3 }),
      layer('tell', { text: '3' }),
      layer('mail', { sent: true }),
      layer('never', null, 'SKIP'),
    ]);
    expect(caseOf({ n: 1 }, outputs, ['fetch', 'mail', 'gone'])).toEqual({
      args: { n: 1 },
      fixtures: { fetch: { statusCode: 200 }, mail: { sent: true } },
      expected: { tell: { text: '3' } },
    });
  });

  it('replays the steps of an agent where they are stored, and small enough', () => {
    const steps = [{ kind: 'model', text: 'Done.', digest: 'd' }];
    expect(replayOf(steps)).toEqual({ replay: steps });
    expect(replayOf([{ kind: 'model', tokens: 15 }])).toBeUndefined();
    expect(replayOf([{ ...steps[0], text: 'x'.repeat(40_000) }])).toBeUndefined();
    expect(replayOf([])).toBeUndefined();
    const outputs = new Map<string, unknown>([['agent', { replay: steps }]]);
    const gave = { text: 'Done.', value: null, stop: 'end' };
    expect(caseOf({}, outputs, ['agent'], new Map([['agent', gave]]))).toEqual({
      ...{ args: {}, fixtures: { agent: { replay: steps } } },
      expected: { agent: gave },
    });
  });

  it('leaves out what is too large for a case', () => {
    const outputs = outputsOf([layer('big', 'x'.repeat(40_000)), layer('file', { $ref: '/api/x', bytes: 9 })]);
    expect(caseOf({}, outputs, [])).toEqual({ args: {}, fixtures: {}, expected: {} });
    const schema = { $ref: '#/definitions/order', bytes: 9, type: 'object' };
    expect(caseOf({}, outputsOf([layer('schema', schema)]), []).expected).toEqual({ schema });
  });
});
