import { describe, expect, it } from 'vitest';
import { turn } from '../../../../test/rigs/feed-rig.js';
import { MESSAGE_COST, PORTION_BYTES, Rota, type Allowance, type Sending } from './rota.js';

const ROUND = 4 * PORTION_BYTES;
const MESSAGE = PORTION_BYTES - MESSAGE_COST;

/** Readers with so many messages of a portion each, and in which order they were sent. */
function rig() {
  const rota = new Rota(ROUND);
  const sent: string[] = [];
  class Reader implements Sending {
    constructor(
      readonly companyId: string,
      readonly name: string,
      private messages: number,
    ) {}
    sendSome(allowance: Allowance): boolean {
      while (this.messages > 0) {
        if (allowance.left <= 0) return true;
        this.messages -= 1;
        allowance.left -= MESSAGE_COST + MESSAGE;
        sent.push(this.name);
      }
      return false;
    }
  }
  const readers = (companyId: string, count: number, messages: number) =>
    Array.from({ length: count }, (_, i) => new Reader(companyId, `${companyId}${i}`, messages));
  return { rota, sent, readers };
}

describe('the rota', () => {
  it('lets who has little to say say it at once', () => {
    const { rota, sent, readers } = rig();
    rota.want(readers('a', 2, 1));
    rota.want(readers('b', 1, 1));
    expect(sent).toEqual(['a0', 'a1', 'b0']);
  });

  it('lets the event loop go round after a bound of bytes, and goes on then', async () => {
    const { rota, sent, readers } = rig();
    rota.want(readers('a', 1, 10));
    const perRound = [sent.length];
    while (sent.length < 10) {
      await turn();
      perRound.push(sent.length);
    }
    expect(perRound).toEqual([4, 8, 10]);
  });

  it('lets a message wait for one portion of each other company, whatever they have to say to how many', async () => {
    const { rota, sent, readers } = rig();
    rota.want(readers('a', 50, 20));
    rota.want(readers('b', 1, 500));
    const before = sent.length;
    rota.want(readers('c', 1, 1));
    while (!sent.includes('c0')) await turn();
    expect(sent.indexOf('c0') - before).toBeLessThanOrEqual(2);
    while (sent.length < 1_501) await turn();
  });

  it('gives each reader of a company its portion before one gets the next', async () => {
    const { rota, sent, readers } = rig();
    rota.want(readers('a', 3, 2));
    await turn();
    expect(sent).toEqual(['a0', 'a1', 'a2', 'a0', 'a1', 'a2']);
  });

  it('counts a turn that somebody waits for as a portion', async () => {
    const { rota, sent, readers } = rig();
    let turns = 0;
    for (let i = 0; i < 10; i += 1) void rota.turn('a').then(() => (turns += 1));
    rota.want(readers('b', 1, 1));
    await Promise.resolve();
    expect([turns, sent]).toEqual([4, []]);
    await turn();
    expect([turns, sent]).toEqual([7, ['b0']]);
  });

  it('goes on with the others when one fails', async () => {
    const { rota, sent, readers } = rig();
    const fails = {
      companyId: 'a',
      sendSome: () => {
        throw new Error('no');
      },
    };
    expect(() => rota.want([fails, ...readers('a', 1, 1)])).toThrow('no');
    await turn();
    expect(sent).toEqual(['a0']);
  });
});
