import { describe, expect, it } from 'vitest';
import { mayComputeLane } from './flow-lane.js';

describe('the lanes that a flow may give', () => {
  it.each([
    ['orders', 'orders', true],
    ['orders', 'orders-1', false],
    ['customer-{{ $prev.args.id }}', 'customer-7', true],
    ['customer-{{ $prev.args.id }}', 'order-7', false],
    ['{{ $prev.args.id }}', 'anything', true],
    ['a-{{ $prev.args.x }}-b-{{ $prev.args.y }}-c', 'a-1-b-2-c', true],
    ['a-{{ $prev.args.x }}-b-{{ $prev.args.y }}-c', 'a-1-2-c', false],
    ['aba{{ $prev.args.x }}aba', 'aba', false],
    ['{{ $prev.args.x }}{{ $prev.args.y }}', 'xy', true],
    ['{{ broken', 'broken', false],
    [null, 'x', false],
  ])('of %j: %j is %j', (setting, lane, may) => {
    expect(mayComputeLane(setting, lane)).toBe(may);
  });
});
