import { describe, expect, it } from 'vitest';

import { readTraceContext, readTraceState } from './trace-state.js';

const member = (n: number, length: number) => `k${n}=${'x'.repeat(length - String(n).length - 2)}`;
const members = (count: number, length = 8) => Array.from({ length: count }, (_, n) => member(n, length));

describe('readTraceState', () => {
  it.each([
    'congo=t61rcWkgMzE',
    'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE',
    'fw529a3039@dt=FfIDg7 , \t rojo=1,',
    '0a/b-c*d_e=a value: with "what" headers may hold',
    members(32).join(','),
  ])('gives "%s" as it came', (text) => {
    expect(readTraceState(text)).toBe(text);
  });

  it.each([
    ['nothing', ''],
    ['nothing but commas', ' , ,'],
    ['a member without a value', 'rojo=1,congo'],
    ['an empty value', 'rojo='],
    ['a key in capitals', 'Rojo=1'],
    ['a key twice', 'rojo=1,congo=2,rojo=3'],
    ['an equals sign in a value', 'rojo=1=2'],
    ['a control character', 'rojo=1\u0001'],
    ['what is no ASCII', 'rojo=é'],
    ['33 members', members(33).join(',')],
    ['a value of 257 characters', `rojo=${'x'.repeat(257)}`],
  ])('takes %s for none', (_what, text) => {
    expect(readTraceState(text)).toBeNull();
  });

  it('cuts what is over 512 characters by whole members, long ones first, then from the end', () => {
    const short = members(30, 12);
    const [long, longer] = [member(98, 140), member(99, 250)];
    expect(readTraceState([long, ...short, longer].join(','))).toBe(short.join(','));
    expect(readTraceState([long, ...short.slice(0, 25), longer].join(','))).toBe(
      [long, ...short.slice(0, 25)].join(','),
    );
    const many = members(32, 20);
    expect(readTraceState(many.join(','))).toBe(many.slice(0, 24).join(','));
  });
});

describe('readTraceContext', () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

  it.each([
    [{}, null],
    [{ traceparent }, { traceparent }],
    [
      { traceparent, tracestate: 'rojo=1' },
      { traceparent, tracestate: 'rojo=1' },
    ],
    [
      { traceparent, tracestate: ['rojo=1', 'congo=2'] },
      { traceparent, tracestate: 'rojo=1,congo=2' },
    ],
    [{ traceparent, tracestate: 'rubbish' }, { traceparent }],
    [{ traceparent: 'rubbish', tracestate: 'rojo=1' }, null],
    [{ tracestate: 'rojo=1' }, null],
  ])('reads %j', (headers, context) => {
    expect(readTraceContext(headers)).toEqual(context);
  });
});
