import fc from 'fast-check';
import { it } from 'vitest';
import { runWorld } from './model/run.js';
import { BROKEN_RULES } from './model/broken-rules.js';
it('x', () => {
  const choices = fc.array(fc.nat(0xffffff), { minLength: 40, maxLength: 220, size: 'max' });
  for (const b of BROKEN_RULES) {
    const ns: unknown[] = []; let why = '';
    const t0 = Date.now();
    for (const seed of [1, 2, 3]) {
      const r = fc.check(fc.property(choices, (c) => { const { violation } = runWorld(b.scenario, c, b.engine); why = violation ?? why; return violation === null; }), { numRuns: 3000, seed, endOnFailure: true });
      ns.push(r.failed ? r.numRuns : '-');
    }
    console.log(ns.join(' '), b.rule, '=>', why, Date.now() - t0, 'ms');
  }
}, 300000);
