import { expect, it } from 'vitest';
import { askedCalls, transcriptOf } from './transcript-model';

const listed = (...outs: object[]) => transcriptOf(outs.map((out, index) => ({ index, out })));

it('reads the steps that are stored, with the arguments from the answer that asked for them', () => {
  const calls = [
    { id: 'a', name: 'search', arguments: '{}', input: { q: 'x' }, asks: false },
    { id: 'b', name: 'send', arguments: '{}', input: { to: 'y' }, asks: true },
    { id: 'c', name: 'gone', arguments: '{}', input: null, asks: false, refused: 'There is no tool "gone".' },
  ];
  const steps = listed(
    { kind: 'model', text: 'Wait.', calls, usage: { tokensIn: 10, tokensOut: 5, cost: null }, stop: 'calls', ms: 7 },
    { kind: 'approval', call: 1, tool: 'send', decision: 'reject', by: 'ann', comment: 'not now', at: '' },
    { kind: 'tool', call: 0, tool: 'search', ok: true, result: { n: 1 }, ms: 3 },
    { kind: 'child', call: 1, tool: 'send', ok: false, result: { error: {} }, playId: 'p', ms: 0 },
  );
  expect(steps).toMatchObject([
    { kind: 'model', tool: null, ok: true, tokens: 15, text: 'Wait.', note: 'asks for search, send, gone (refused)' },
    { kind: 'approval', tool: 'send', ok: false, args: { to: 'y' }, note: 'rejected by ann: not now' },
    { kind: 'tool', tool: 'search', ok: true, ms: 3, args: { q: 'x' }, result: { n: 1 }, playId: null },
    { kind: 'child', tool: 'send', ok: false, args: { to: 'y' }, playId: 'p' },
  ]);
});

it('reads the steps of an output', () => {
  const steps = listed(
    { kind: 'model', tool: null, args: null, ok: true, ms: 7, tokens: 15 },
    { kind: 'tool', tool: 'search', args: { q: 'x' }, ok: false, ms: 3, tokens: null },
    { kind: 'tool', tool: 'gone', args: null, ok: false, ms: 0, tokens: null, refused: 'There is no tool "gone".' },
    { kind: 'approval', tool: 'send', args: { to: 'y' }, ok: true, ms: 0, tokens: null, by: null },
  );
  expect(steps).toMatchObject([
    { tokens: 15, args: undefined, result: undefined, note: null },
    { ok: false, args: { q: 'x' } },
    { note: 'not called: There is no tool "gone".' },
    { note: 'approved by a holder of its link', args: { to: 'y' } },
  ]);
});

it('knows which calls of the last answer a person has yet to decide', () => {
  const call = (name: string, asks: boolean) => ({ name, input: { name }, asks });
  const model = { kind: 'model', calls: [call('send', true), call('read', false), call('pay', true)] };
  const decided = { kind: 'approval', call: 0, tool: 'send', decision: 'approve' };
  const asked = (...outs: object[]) => askedCalls(outs.map((out) => ({ out }))).map(({ tool }) => tool);
  expect(asked(model)).toEqual(['send', 'pay']);
  expect(asked(model, decided)).toEqual(['pay']);
  expect(asked(model, decided, { ...decided, call: 2 })).toEqual([]);
  expect(asked(model, { kind: 'model', text: 'Done.' })).toEqual([]);
  expect(asked()).toEqual([]);
});

it('leaves out what is not a step', () => {
  expect(listed({}, { kind: 'other' }, [])).toEqual([]);
});
