import type { RateLimit } from '@weft/shapes';
import type { CallEnd, GateAsk, GatePass, GatePause } from '@weft/layers';
import type { DestinationDocument } from '@weft/records';
import { waitFor } from '@weft/testing';
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
  onDown: 'fail',
  signal,
};

const PASS: GatePass = { ended: () => undefined };
const ends: CallEnd[] = [];
const PROBE: GatePass = { ended: (how) => void ends.push(how) };

interface Known extends Partial<DestinationDocument> {
  /** Whether the call that asks is the one that may try. */
  readonly mayTry?: boolean;
  /** What the book says when it is read again. */
  readonly later?: Partial<DestinationDocument>;
  readonly sliceMs?: number;
}

function gateOf(waits: number[], { mayTry = false, later, sliceMs, ...before }: Known = { rate_limit: TEN }) {
  let known: object = before;
  const asked: [string, readonly NamedLimit[], string][] = [];
  const bookOf = (fields: object): CompanyDestinations => ({
    byAddress: new Map([['a:443', { state: 'up', rate_limit: null, address: 'a:443', ...fields } as never]]),
  });
  const book = {
    get: (companyId: string): CompanyDestinations => (companyId === 'c' ? bookOf(known) : { byAddress: new Map() }),
    readAgain: async () => bookOf({ ...known, ...later }),
  };
  const take = async (...ask: [string, readonly NamedLimit[], string]) => (asked.push(ask), waits.shift() ?? 0);
  const probe = () => (mayTry ? Promise.resolve(PROBE) : null);
  const gate = new DestinationGate(book, { take }, { begin: () => PASS, probe }, sliceMs);
  return { gate, asked, becomes: (fields: Partial<DestinationDocument>) => void (known = fields) };
}

// side by side: some wait for more than a moment
describe.concurrent('the gate of a destination', () => {
  it('lets through at once what nobody limits, and asks nobody', () => {
    const { gate, asked } = gateOf([]);
    expect(gate.enter({ ...ASK, destination: 'b:443' })).toBe(PASS);
    expect(gate.enter({ ...ASK, companyId: 'd' })).toBe(PASS);
    expect(asked).toEqual([]);
  });

  it('asks for the destination and for each link of the call together', async () => {
    const { gate, asked } = gateOf([0]);
    const ofLink: RateLimit = { limit: 1, per: 'second' };
    expect(await gate.enter({ ...ASK, links: new Map([['l1', ofLink]]) })).toBe(PASS);
    const both = [{ id: 'a:443', rate: TEN }, { id: 'link:l1', rate: ofLink }]; // prettier-ignore
    expect(asked).toEqual([['c', both, 'new']]);
  });

  it('waits for a moment, and lets the play go for a longer time', async () => {
    const short = gateOf([5, 3, 0]);
    expect(await short.gate.enter(ASK)).toBe(PASS);
    expect(short.asked.map(([, , turn]) => turn)).toEqual(['new', 'again', 'again']);
    expect(await gateOf([5_000]).gate.enter(ASK)).toEqual({ kind: 'rate_limit', waitMs: 5_000, destination: 'a:443' });
  });

  it('keeps the turn of a play that comes back', async () => {
    const { gate, asked } = gateOf([0]);
    await gate.enter({ ...ASK, hasPaused: true });
    expect(asked[0]?.[2]).toBe('kept');
  });

  it('waits longer in the slot of a play whose log is full, for its turn after the first moment, and no longer than it may', async () => {
    const { gate, asked } = gateOf([1_001, 100, 0]);
    // in all
    const twice = gateOf([1_001, 1_500]).gate.enter({ ...ASK, slotMs: 2_000 });
    expect(await gate.enter({ ...ASK, slotMs: 60_000 })).toBe(PASS);
    expect(asked.map(([, , turn]) => turn)).toEqual(['new', 'kept', 'kept']);
    const late = { kind: 'rate_limit', waitMs: 60_001, destination: 'a:443' };
    expect(await gateOf([60_001]).gate.enter({ ...ASK, slotMs: 60_000 })).toEqual(late);
    expect(await twice).toMatchObject({ kind: 'rate_limit', waitMs: 1_500 });
    // a destination that is down is waited for elsewhere nevertheless: seldom, and for long
    const parks = { ...ASK, onDown: 'park', slotMs: 60_000 } as const;
    expect(gateOf([], { state: 'down' }).gate.enter(parks)).toMatchObject({ kind: 'destination_down' });
  });

  it('takes turns as those do that pause, also for a call that cannot be left for later', async () => {
    const { gate, asked } = gateOf([1_001, 20, 0]);
    expect(await gate.enter({ ...ASK, mayPause: false })).toBe(PASS);
    expect(asked.map(([, , turn]) => turn)).toEqual(['new', 'kept', 'kept']);
  });

  it('leaves a call that waits for later when it is asked to, unless something of it was sent', async () => {
    const leave = new AbortController();
    const abort = new AbortController();
    const ask = { ...ASK, slotMs: Number.POSITIVE_INFINITY, leave: leave.signal, signal: abort.signal };
    const { gate } = gateOf([60_000, 60_000]);
    const entered = [gate.enter(ask), gate.enter({ ...ask, mayPause: false })] as const;
    await waitFor(() => gate.waiting === 2, { what: 'the calls to wait' });
    leave.abort();
    expect(await entered[0]).toEqual({ kind: 'rate_limit', waitMs: 60_000, destination: 'a:443' });
    expect(gate.waiting).toBe(1);
    abort.abort(new Error('cancelled'));
    await expect(entered[1]).rejects.toThrow();
    expect(gate.waiting).toBe(0);
  });

  it('judges anew while it waits: a call is not made to a destination that was paused or has another limit meanwhile', async () => {
    const limited = { rate_limit: TEN, sliceMs: 5 };
    const ask = { ...ASK, slotMs: 90_000 };
    const during = (become: Partial<DestinationDocument>, of: GateAsk = ask, waits = [60_000]) => {
      const { gate, asked, becomes } = gateOf(waits, limited);
      const entered = Promise.resolve(gate.enter(of));
      becomes(become);
      return { entered, asked };
    };
    const refused = expect.objectContaining({ code: 'destination_paused' }) as Error;
    await expect(during({ rate_limit: TEN, state: 'paused' }).entered).rejects.toEqual(refused);
    const parked = during({ rate_limit: TEN, state: 'down' }, { ...ask, onDown: 'park' });
    expect(await parked.entered).toMatchObject({ kind: 'destination_down' });
    expect(await during({ rate_limit: null }).entered).toBe(PASS);
    const raised: RateLimit = { limit: 20, per: 'minute' };
    const { entered, asked } = during({ rate_limit: raised }, ask, [60_000, 0]);
    expect(await entered).toBe(PASS);
    expect(asked.map(([, [limit], turn]) => [limit?.rate, turn])).toEqual([[TEN, 'new'], [raised, 'again']]); // prettier-ignore
    // what is as it was keeps its turn
    const same = during({ rate_limit: TEN }, ask, [30, 0]);
    expect(await same.entered).toBe(PASS);
    expect(same.asked.map(([, , turn]) => turn)).toEqual(['new', 'again']);
  });

  it('takes no second turn while the rate of a recovery grows', async () => {
    const at = (step: number) => ({ rate_limit: TEN, state: 'recovering', rate: 200, step }) as const;
    const abort = new AbortController();
    const { gate, asked, becomes } = gateOf([60_000, 1_000, 1_000], { ...at(1), sliceMs: 5 });
    const entered = gate.enter({ ...ASK, onDown: 'park', mayPause: false, signal: abort.signal });
    for (const step of [2, 3]) {
      becomes(at(step));
      await waitFor(() => asked.length === step, { what: 'the call to ask again' });
    }
    expect(asked.map(([, , turn]) => turn)).toEqual(['new', 'again', 'again']);
    abort.abort(new Error('cancelled'));
    await expect(entered).rejects.toThrow();
  });

  it('keeps its turn when its destination has another limit', async () => {
    const lower = { rate_limit: { limit: 5, per: 'minute' } } as const;
    const leave = new AbortController();
    const waiting = gateOf([60_000, 1_000], { rate_limit: TEN, sliceMs: 5 });
    const entered = waiting.gate.enter({ ...ASK, slotMs: 90_000, leave: leave.signal });
    waiting.becomes(lower);
    await waitFor(() => waiting.asked.length === 2 && waiting.gate.waiting === 1, { what: 'the call to wait again' });
    leave.abort();
    const { waitMs } = (await entered) as GatePause;
    expect(waitMs).toBeGreaterThan(50_000);
    // and comes for it
    const { gate, asked, becomes } = gateOf([1_100, 1, 0], { rate_limit: TEN, sliceMs: 50 });
    const passed = gate.enter({ ...ASK, mayPause: false });
    becomes(lower);
    expect(await passed).toBe(PASS);
    expect(asked.map(([, , turn]) => turn)).toEqual(['new', 'again', 'kept']);
  });

  it('waits for as long as it takes where the call cannot be left for later, until it is aborted', async () => {
    const abort = new AbortController();
    const { gate } = gateOf([60_000]);
    const entered = gate.enter({ ...ASK, mayPause: false, signal: abort.signal });
    abort.abort(new Error('cancelled'));
    await expect(entered).rejects.toThrow();
  });
});

describe('the gate of a destination that is down', () => {
  const parks = { ...ASK, onDown: 'park' } as const;
  const parked = expect.objectContaining({ kind: 'destination_down', destination: 'a:443' }) as unknown;

  it('parks the plays of flows that want it, and lets the calls of others through as ever', async () => {
    const { gate } = gateOf([], { state: 'down' });
    expect(gate.enter(parks)).toEqual(parked);
    expect(gate.enter(ASK)).toBe(PASS);
    // it cannot be left for later
    expect(gate.enter({ ...parks, mayPause: false })).toBe(PASS);
    expect(await gateOf([], { state: 'down', mayTry: true }).gate.enter(parks)).toBe(PROBE);
    expect(await gateOf([], { state: 'down', mayTry: true }).gate.enter(ASK)).toBe(PROBE);
  });

  it('tries it within its limits: a call that finds no room in them says nothing of it', async () => {
    const down = { state: 'down', mayTry: true, rate_limit: TEN } as const;
    const { gate, asked } = gateOf([0, 5_000], down);
    expect(await gate.enter({ ...ASK, onDown: 'park' })).toBe(PROBE);
    expect(await gate.enter({ ...ASK, onDown: 'park' })).toMatchObject({ kind: 'destination_down' });
    expect(asked.map(([, , turn]) => turn)).toEqual(['again', 'again']);
    expect(ends).toEqual([null]);
  });

  it('lets nothing through while it is paused', () => {
    const { gate } = gateOf([], { state: 'paused', mayTry: true });
    expect(gate.enter(parks)).toEqual(parked);
    const refused = expect.objectContaining({ code: 'destination_paused' }) as Error;
    expect(() => gate.enter(ASK)).toThrow(refused);
    expect(() => gate.enter({ ...parks, mayPause: false })).toThrow(refused);
  });

  it('looks anew for a play that was released, which is not sent away by an older book', async () => {
    const back = { ...parks, hasPaused: true };
    expect(await gateOf([], { state: 'down', later: { state: 'up' } }).gate.enter(back)).toBe(PASS);
    expect(await gateOf([], { state: 'down' }).gate.enter(back)).toEqual(parked);
    expect(await gateOf([], { state: 'paused', later: { state: 'up' } }).gate.enter(back)).toBe(PASS);
  });

  it('lets calls back in by a rate that grows, and parks those that find no room', async () => {
    const recovering = { state: 'recovering', rate: 200, step: 2 } as const;
    const { gate, asked } = gateOf([0, 5_000, 0], recovering);
    expect(await gate.enter({ ...parks, hasPaused: true })).toBe(PASS);
    const limits = [
      { id: 'recovery:a:443', rate: { limit: 210, per: 'second' } },
      { id: 'recovery:a:443:step', rate: { limit: 84, per: 'second' } },
    ];
    expect(asked).toEqual([['c', limits, 'kept']]);
    expect(await gate.enter(parks)).toEqual(parked);
    // flows that do not want it are not held back
    expect(gate.enter(ASK)).toBe(PASS);
    const over = gateOf([0], { ...recovering, state: 'up', step: 9, sweepUntil: new Date() });
    expect(await over.gate.enter(parks)).toBe(PASS);
    expect(over.asked[0]?.[1]).toHaveLength(2);
  });
});
