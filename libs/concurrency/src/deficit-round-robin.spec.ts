import { describe, expect, it } from 'vitest';
import { DeficitRoundRobin, QUANTUM_BYTES, type Deficit, type Sender } from './deficit-round-robin.js';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

const ROUND = 4 * QUANTUM_BYTES;

/** Readers with this many messages of one quantum each. Records the order in which messages were sent. */
function fixture() {
  const scheduler = new DeficitRoundRobin(ROUND);
  const sent: string[] = [];
  class Reader implements Sender {
    constructor(
      readonly companyId: string,
      readonly name: string,
      private messages: number,
    ) {}
    sendSome(deficit: Deficit): boolean {
      while (this.messages > 0) {
        if (deficit.bytesLeft <= 0) return true;
        this.messages -= 1;
        deficit.bytesLeft -= QUANTUM_BYTES;
        sent.push(this.name);
      }
      return false;
    }
  }
  const readers = (companyId: string, count: number, messages: number) =>
    Array.from({ length: count }, (_, i) => new Reader(companyId, `${companyId}${i}`, messages));
  return { scheduler, sent, readers };
}

describe('the deficit round robin', () => {
  it('lets who has little to say say it at once', () => {
    const { scheduler, sent, readers } = fixture();
    scheduler.enqueue(readers('a', 2, 1));
    scheduler.enqueue(readers('b', 1, 1));
    expect(sent).toEqual(['a0', 'a1', 'b0']);
  });

  it('lets the event loop go round after a bound of bytes, and goes on then', async () => {
    const { scheduler, sent, readers } = fixture();
    scheduler.enqueue(readers('a', 1, 10));
    const perRound = [sent.length];
    while (sent.length < 10) {
      await turn();
      perRound.push(sent.length);
    }
    expect(perRound).toEqual([4, 8, 10]);
  });

  it('lets a message wait for one portion of each other company, whatever they have to say to how many', async () => {
    const { scheduler, sent, readers } = fixture();
    scheduler.enqueue(readers('a', 50, 20));
    scheduler.enqueue(readers('b', 1, 500));
    const before = sent.length;
    scheduler.enqueue(readers('c', 1, 1));
    while (!sent.includes('c0')) await turn();
    expect(sent.indexOf('c0') - before).toBeLessThanOrEqual(2);
    while (sent.length < 1_501) await turn();
  });

  it('gives each reader of a company its portion before one gets the next', async () => {
    const { scheduler, sent, readers } = fixture();
    scheduler.enqueue(readers('a', 3, 2));
    await turn();
    expect(sent).toEqual(['a0', 'a1', 'a2', 'a0', 'a1', 'a2']);
  });

  it('counts a turn that somebody waits for as a portion', async () => {
    const { scheduler, sent, readers } = fixture();
    let turns = 0;
    for (let i = 0; i < 10; i += 1) void scheduler.waitForTurn('a').then(() => (turns += 1));
    scheduler.enqueue(readers('b', 1, 1));
    await Promise.resolve();
    expect([turns, sent]).toEqual([4, []]);
    await turn();
    expect([turns, sent]).toEqual([7, ['b0']]);
  });

  it('goes on with the others when one fails', async () => {
    const { scheduler, sent, readers } = fixture();
    const fails = {
      companyId: 'a',
      sendSome: () => {
        throw new Error('no');
      },
    };
    expect(() => scheduler.enqueue([fails, ...readers('a', 1, 1)])).toThrow('no');
    await turn();
    expect(sent).toEqual(['a0']);
  });
});
