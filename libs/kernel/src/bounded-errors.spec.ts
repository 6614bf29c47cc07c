import { describe, expect, it } from 'vitest';
import { boundedErrors } from './bounded-errors.js';
import { WeftError } from './errors.js';

const faults = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ path: `p${i}`, code: 'invalid', message: `fault ${i}` }));

describe('the errors of an answer', () => {
  it('are all there as long as they are few', () => {
    expect(boundedErrors(faults(50))).toEqual(faults(50));
  });

  it('are fifty at most, the last of which says how many more there are', () => {
    const bounded = boundedErrors(faults(90_000));
    expect(bounded).toHaveLength(50);
    expect(bounded.slice(0, 49)).toEqual(faults(49));
    expect(bounded[49]).toEqual({ path: '', code: 'more', message: 'and 89951 more' });
    expect(boundedErrors(faults(50), 90_000)).toEqual(bounded);
  });

  it('have texts of bounded length, whatever a caller has put into them', () => {
    const long = 'x'.repeat(1_000_000);
    const { message, errors } = new WeftError('invalid_body', long, {
      errors: [{ path: long, code: 'invalid', message: long }],
    });
    expect(JSON.stringify([message, errors]).length).toBeLessThan(3_000);
  });
});
