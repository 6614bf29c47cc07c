import { describe, expect, it, vi } from 'vitest';
import { fillIn, type StoredFlow } from './fill-in-document.js';
import type { FlowDocumentFile } from './flow-document.js';
import { LEFT_OUT } from './fill-left-out.js';

type Case = Pick<FlowDocumentFile['testCases'][number], 'name' | 'args' | 'fixtures' | 'expected'>;

const caseOf = (name: string, token: string): Case => ({ name, args: { token }, fixtures: {}, expected: {} });

/** The tokens of a document's test cases, by the values that the flow has. */
async function tokensOf(given: readonly Case[], stored: readonly Case[]): Promise<unknown[]> {
  const document = { blueprintVars: null, layers: [], testCases: given } as unknown as FlowDocumentFile;
  const flow = { flow: { layers: [] }, cases: stored } as unknown as StoredFlow;
  return (await fillIn(document, flow)).testCases.map(({ args }) => args.token);
}

describe('test cases of a document', () => {
  it('have the values of the cases of their names, in their order where names are equal', async () => {
    const stored = [caseOf('a', 'a1'), caseOf('b', 'b1'), caseOf('a', 'a2'), caseOf('a', 'a3')];
    const unchanged = stored.map(({ name }) => caseOf(name, LEFT_OUT));
    expect(await tokensOf(unchanged, stored)).toEqual(['a1', 'b1', 'a2', 'a3']);
    const named = (...names: readonly string[]) => names.map((name) => caseOf(name, LEFT_OUT));
    expect(await tokensOf(named('b', 'a', 'a'), stored)).toEqual(['b1', 'a1', 'a2']);
    expect(await tokensOf(named('b', 'b', 'c'), stored)).toEqual(['b1', LEFT_OUT, LEFT_OUT]);
    expect(await tokensOf([caseOf('a', 'new'), ...named('a')], stored)).toEqual(['new', 'a2']);
  });
});

describe('a large part of a document', () => {
  it('is filled in while the event loop runs other work', async () => {
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 11));
    let turns = 0;
    const count = (): NodeJS.Immediate => {
      turns += 1;
      return (next = setImmediate(count));
    };
    let next = setImmediate(count);
    try {
      const layer = (token: string) => {
        const list = Array.from({ length: 10_000 }, (_, n) => ({ n, token }));
        return { ref: 'layer', args: { list } };
      };
      const document = { blueprintVars: null, layers: [layer(LEFT_OUT)], testCases: [] } as unknown as FlowDocumentFile;
      const flow = { flow: { layers: [layer('s')] }, cases: [] } as unknown as StoredFlow;
      expect((await fillIn(document, flow)).layers).toEqual([layer('s')]);
      expect(turns).toBeGreaterThan(50);
    } finally {
      clearImmediate(next);
      clock.mockRestore();
    }
  });
});
