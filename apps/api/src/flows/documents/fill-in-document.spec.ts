import { MAX_ERRORS } from '@weft/kernel';
import { describe, expect, it } from 'vitest';
import { fillIn, type StoredFlow } from './fill-in-document.js';
import { LEFT_OUT } from './fill-left-out.js';
import type { FlowDocumentFile } from '@weft/shapes';

interface Parts {
  readonly blueprintVars?: Readonly<Record<string, string>> | null;
  readonly layers?: readonly object[];
  readonly cases?: readonly object[];
}

/** The document with the flow's values, and the paths of its faults. */
async function filled(given: Parts, stored: Parts) {
  const { blueprintVars = null, layers = [], cases = [] } = given;
  const document = { blueprintVars, layers, testCases: cases } as unknown as FlowDocumentFile;
  const flow = { flow: { layers: [], ...stored }, cases: stored.cases ?? [] } as unknown as StoredFlow;
  const { document: made, faults } = await fillIn(document, flow);
  return { document: made, faults: faults.map(({ path, code }) => `${path} ${code}`) };
}

const tokenOf = ({ args }: { readonly args: Readonly<Record<string, unknown>> }) => args.token;
const layer = (ref: string, token: string, id?: string) => ({ ...(id && { id }), ref, args: { token } });

describe('layers of a document', () => {
  it('have the values of the layer with their ref, or whose id they give, and no other', async () => {
    const stored = [layer('a', 'A', '1'), layer('b', 'B', '2')];
    const given = [layer('b', LEFT_OUT), layer('c', LEFT_OUT, '1'), layer('a', LEFT_OUT), layer('d', LEFT_OUT)];
    const { document, faults } = await filled({ layers: given }, { layers: stored });
    expect(document.layers.map(tokenOf)).toEqual(['B', 'A', LEFT_OUT, LEFT_OUT]);
    expect(faults).toEqual(['layers.2.args.token left_out', 'layers.3.args.token left_out']);
  });

  it('have as many faults as an answer names', async () => {
    const tokens = Array.from({ length: 100 }, () => LEFT_OUT);
    expect((await filled({ layers: [{ ref: 'a', args: { tokens } }] }, {})).faults).toHaveLength(MAX_ERRORS);
  });
});

describe('test cases of a document', () => {
  const caseOf = (name: string, token: string) => ({
    name,
    required: false,
    args: { token },
    fixtures: {},
    expected: {},
  });
  const namesAs = (...names: readonly string[]) => names.map((name) => caseOf(name, LEFT_OUT));
  const stored = [caseOf('a', 'a1'), caseOf('b', 'b1'), caseOf('a', 'a2')];

  it.each([
    ['of cases that are as they were, also with one name', namesAs('a', 'b', 'a'), ['a1', 'b1', 'a2'], []],
    ['of the only case with their name', namesAs('c', 'b'), [LEFT_OUT, 'b1'], [0]],
    ['of no case where a name is of several', namesAs('b', 'a', 'a'), ['b1', LEFT_OUT, LEFT_OUT], [1, 2]],
  ])('have the values %s', async (_what, cases, tokens, missing) => {
    // what is stored has ids and times, too
    const { document, faults } = await filled(
      { cases },
      { cases: stored.map((each, i) => ({ ...each, _id: `${i}` })) },
    );
    expect(document.testCases.map(tokenOf)).toEqual(tokens);
    expect(faults).toEqual(missing.map((at) => `testCases.${at}.args.token left_out`));
  });
});

describe('variables of a document', () => {
  it('are those of the flow where it has none, and have the values of their names', async () => {
    const stored = { blueprintVars: { token: 't' } };
    expect((await filled({}, stored)).document.blueprintVars).toEqual({ token: 't' });
    const { document, faults } = await filled({ blueprintVars: { token: LEFT_OUT, other: LEFT_OUT } }, stored);
    expect(document.blueprintVars).toEqual({ token: 't', other: LEFT_OUT });
    expect(faults).toEqual(['blueprintVars.other left_out']);
  });
});
