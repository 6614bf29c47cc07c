import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { EXIT, interruption } from './exit.js';
import { stopOnSignals } from './signals.js';

/** A process that signals are sent to; `exits` are the codes that it ended with. */
function program() {
  const exits: number[] = [];
  const emitter = Object.assign(new EventEmitter(), { exit: (code: number) => void exits.push(code) });
  return {
    exits,
    send: (name: string) => emitter.emit(name),
    signal: stopOnSignals(emitter as unknown as NodeJS.Process),
  };
}

describe('signals', () => {
  it.each([
    ['SIGINT', EXIT.interrupted],
    ['SIGTERM', EXIT.terminated],
  ])('%s aborts what runs, and ends the process when it comes again', (name, code) => {
    const { exits, send, signal } = program();
    expect(signal.aborted).toBe(false);
    send(name);
    expect([signal.aborted, interruption(signal, 'why').code, exits]).toEqual([true, code, []]);
    send(name);
    expect(exits).toEqual([code]);
  });

  it('keep the code of the first one', () => {
    const { exits, send, signal } = program();
    send('SIGTERM');
    send('SIGINT');
    expect([interruption(signal).code, exits]).toEqual([EXIT.terminated, [EXIT.interrupted]]);
  });
});
