import { describe, expect, it } from 'vitest';
import { ServerClock } from './server-clock.js';

function setUp() {
  const machine = { monotonic: 1_000, wall: 5_000_000 };
  const clock = new ServerClock(
    () => machine.monotonic,
    () => machine.wall,
  );
  const pass = (ms: number) => {
    machine.monotonic += ms;
    machine.wall += ms;
  };
  return { machine, clock, pass };
}

describe('ServerClock', () => {
  it('is the machine’s own until MongoDB was heard, then MongoDB’s', () => {
    const { clock, pass } = setUp();
    expect(clock.now()).toBe(5_000_000);
    clock.heard(9_000_000);
    pass(250);
    expect(clock.now()).toBe(9_000_250);
  });

  it('is not fooled by an answer that waited while this process was frozen', () => {
    const { clock, pass } = setUp();
    clock.heard(9_000_000);
    pass(20_000);
    clock.heard(9_000_000 + 4_000); // sent 16 s ago, read now
    expect(clock.now()).toBe(9_020_000);
  });

  it('does not care about jumps of the machine’s clock', () => {
    const { clock, machine, pass } = setUp();
    clock.heard(9_000_000);
    machine.wall -= 3_600_000;
    pass(10);
    expect(clock.now()).toBe(9_000_010);
  });

  it('never runs backwards by a little, and follows a large step of MongoDB’s clock when its old answers are forgotten', () => {
    const { clock, pass } = setUp();
    clock.heard(9_000_000);
    const before = clock.now();
    for (let i = 0; i < 8; i += 1) {
      pass(2_000);
      clock.heard(9_000_000 + 2_000 * (i + 1) - 60_000);
    }
    expect(before).toBe(9_000_000);
    pass(1);
    expect(clock.now()).toBe(9_000_000 + 16_001 - 60_000);
  });

  it('follows another server at once, and goes on until it is heard', () => {
    const { clock, pass } = setUp();
    clock.heard(9_000_000);
    clock.forget();
    pass(1_000);
    expect(clock.now()).toBe(9_001_000);
    clock.heard(5_000_000);
    expect(clock.now()).toBe(5_000_000);
  });
});
