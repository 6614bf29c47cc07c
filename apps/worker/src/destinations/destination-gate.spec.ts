import type { RateLimit } from '@weft/contracts';
import type { GateAsk } from '@weft/layers';
import { describe, expect, it } from 'vitest';
import { DestinationGate } from './destination-gate.js';
import type { CompanyDestinations } from './destination-book.js';
import type { NamedLimit } from './rate-limiter.js';

const TEN: RateLimit = { limit: 10, per: 'minute' };
const signal = new AbortController().signal;
const ASK: GateAsk = {
  companyId: 'c',
  destination: 'a:443',
  links: new Map(),
  hasPaused: false,
  mayPause: true,
  signal,
};

function gateOf(waits: number[], rate_limit: RateLimit | null = TEN) {
  const asked: [string, readonly NamedLimit[], string][] = [];
  const byAddress = new Map([['a:443', { rate_limit } as never]]);
  const book = {
    get: (companyId: string): CompanyDestinations => ({ byAddress: companyId === 'c' ? byAddress : new Map() }),
  };
  const take = async (...ask: [string, readonly NamedLimit[], string]) => (asked.push(ask), waits.shift() ?? 0);
  return { gate: new DestinationGate(book, { take }), asked };
}

describe('the gate of a destination', () => {
  it('lets through at once what nobody limits, and asks nobody', () => {
    const { gate, asked } = gateOf([]);
    expect(gate.enter({ ...ASK, destination: 'b:443' })).toBeNull();
    expect(gate.enter({ ...ASK, companyId: 'd' })).toBeNull();
    expect(asked).toEqual([]);
  });

  it('asks for the destination and for each link of the call together', async () => {
    const { gate, asked } = gateOf([0]);
    const ofLink: RateLimit = { limit: 1, per: 'second' };
    expect(await gate.enter({ ...ASK, links: new Map([['l1', ofLink]]) })).toBeNull();
    const both = [{ id: 'a:443', rate: TEN }, { id: 'link:l1', rate: ofLink }]; // prettier-ignore
    expect(asked).toEqual([['c', both, 'new']]);
  });

  it('waits for a moment, and lets the play go for a longer time', async () => {
    const short = gateOf([5, 3, 0]);
    expect(await short.gate.enter(ASK)).toBeNull();
    expect(short.asked.map(([, , turn]) => turn)).toEqual(['new', 'again', 'again']);
    expect(await gateOf([5_000]).gate.enter(ASK)).toEqual({ kind: 'rate_limit', waitMs: 5_000, destination: 'a:443' });
  });

  it('keeps the turn of a play that comes back', async () => {
    const { gate, asked } = gateOf([0]);
    await gate.enter({ ...ASK, hasPaused: true });
    expect(asked[0]?.[2]).toBe('kept');
  });

  it('waits for as long as it takes where the call cannot be left for later, until it is aborted', async () => {
    const abort = new AbortController();
    const { gate } = gateOf([60_000]);
    const entered = gate.enter({ ...ASK, mayPause: false, signal: abort.signal });
    abort.abort(new Error('cancelled'));
    await expect(entered).rejects.toThrow();
  });
});
