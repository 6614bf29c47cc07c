import { EgressError, type EgressClient, type EgressDialer, type EgressRequest } from '@weft/egress';
import type { LayerDefinition, LayerWait } from '@weft/engine';
import { aLayer, aPlay, aVersion, sandbox } from '@weft/testing';
import { describe, expect, it, vi } from 'vitest';
import type { Socket } from 'node:net';
import { LayerFailure } from '../layer-module.js';
import { MemoryPayloads } from '../stored/memory-payloads.fixture.js';
import {
  destinationOf,
  gatedServices,
  type CallEnd,
  type CallGate,
  type GateAsk,
  type GatePause,
} from './call-gate.js';
import { InlineBudget } from '../memory/inline-budget.js';
import type { LayerCall } from './layer-call.js';
import { LayerRunner } from './layer-runner.js';
import { prepareVersion } from './prepared-version.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const PAUSE: GatePause = { kind: 'rate_limit', waitMs: 5_000, destination: 'api:443' };

async function run(
  gate: CallGate,
  layer: Partial<LayerDefinition> = {},
  waits?: Record<string, LayerWait>,
  more: Partial<LayerCall> = {},
) {
  const requests: EgressRequest[] = [];
  const http = {
    request: async (request: EgressRequest) => {
      requests.push(request);
      return { statusCode: 200, headers: {}, body: Buffer.alloc(0), url: request.url };
    },
    close: async () => undefined,
  };
  const version = aVersion([aLayer('ask', { appId: 'web-request', args: { url: 'https://API/' }, ...layer })]);
  const runner = new LayerRunner({ http, gate, payloads: new MemoryPayloads(), sandbox, serverNow: () => NOW });
  const { outcome } = await runner.run({
    ...{ play: { ...aPlay({ companyId: 'c' }), ...(waits && { waits }) }, prepared: prepareVersion(version, 'Acme') },
    ...{
      position: 0,
      attempt: 1,
      wait: null,
      answer: null,
      outputs: new Map(),
      errors: new Map(),
      inlineBudget: new InlineBudget(),
    },
    ...{ by: 'me', signal: new AbortController().signal, ...more },
  });
  return { outcome, requests };
}

describe('a layer whose call is made later', () => {
  it('waits for its time by the clock of MongoDB, and has called nobody', async () => {
    const { outcome, requests } = await run({ enter: () => PAUSE });
    const wait = { position: 0, ref: 'ask', kind: 'rate_limit', since: new Date(NOW), destination: 'api:443' };
    expect(outcome).toEqual({ kind: 'wait', wait: { ...wait, until: new Date(NOW + 5_000) } });
    expect(requests).toEqual([]);
  });

  it('comes back as one that has paused', async () => {
    const asks: GateAsk[] = [];
    const gate = { enter: (ask: GateAsk) => (asks.push(ask), null) };
    const pause = { position: 0, ref: 'ask', kind: 'rate_limit', since: new Date(NOW), until: new Date(NOW) } as const;
    const { outcome } = await run(gate, {}, { 0: { ...pause, destination: 'api:443' } });
    expect(outcome).toMatchObject({ result: { state: 'DONE', attempts: 1 } });
    expect(asks).toMatchObject([{ companyId: 'c', destination: 'api:443', hasPaused: true, mayPause: true }]);
    await run(gate, {}, { 0: { ...pause, destination: 'other:443' } });
    await run(gate, {}, { 0: { ...pause, kind: 'retry' } });
    expect(asks.map(({ hasPaused }) => hasPaused)).toEqual([true, false, false]);
    const { signal: leave } = new AbortController();
    await run(gate, {}, undefined, { slotMs: 60_000, leave });
    expect(asks.map(({ slotMs }) => slotMs)).toEqual([undefined, undefined, undefined, 60_000]);
    expect(asks.at(-1)?.leave).toBe(leave);
  });

  it('proves anew after it had to wait that the play is its own, and calls nobody when it is not', async () => {
    let isOwner = true;
    const proven = () => (isOwner ? true : Promise.resolve(false));
    const gate = { enter: async () => ((isOwner = false), null) };
    const { outcome, requests } = await run(gate, {}, undefined, { proven });
    expect(outcome).toMatchObject({ result: { state: 'FAIL', error: { code: 'cancelled' } } });
    expect(requests).toEqual([]);
  });

  it('may wait for a moment as an item of a loop, and its time limit stands still', async () => {
    let may: boolean | null = null;
    const gate: CallGate = {
      enter: async ({ mayPause }) => {
        may = mayPause;
        vi.useFakeTimers();
        await vi.advanceTimersByTimeAsync(60);
        vi.useRealTimers();
        return null;
      },
    };
    const { outcome } = await run(gate, { timeoutMs: 30, forEach: { in: '{{ ["x"] }}', concurrency: 1 } });
    expect(outcome).toMatchObject({ result: { state: 'DONE' } });
    expect(may).toBe(true);
  });
});

describe('a call whose connection takes long', () => {
  const NOTHING = Buffer.alloc(0);
  /** A client that asks whether it may send, as the real one does when the connection is there. */
  const patient = (sent: string[]): EgressClient => ({
    close: async () => undefined,
    request: async ({ url, mayBeSent }) => {
      if (!((await mayBeSent?.()) ?? true)) throw new EgressError('cancelled', 'it may not be sent');
      sent.push(url);
      return { statusCode: 200, headers: {}, body: NOTHING, url };
    },
  });
  const calling = (proven: () => true | Promise<boolean>) => {
    const sent: string[] = [];
    let [stops, destroyed] = [0, 0];
    const socket = { destroy: () => (destroyed += 1) } as unknown as Socket;
    const sockets: EgressDialer = { dial: async () => socket };
    const stop = () => ((stops += 1), () => void (stops -= 1));
    const clock = { stop, limit: () => () => undefined, atEnd: () => undefined, stoodStill: false };
    const { signal } = new AbortController();
    const call = {
      companyId: 'c',
      links: new Map(),
      onDown: 'fail',
      pausedFor: undefined,
      clock,
      signal,
      proven,
    } as const;
    const made = gatedServices({ http: patient(sent), sockets }, null, call);
    const limits = { timeoutMs: 1, maxRedirects: 0, maxResponseBytes: 1 };
    const ask = () => made.http.request({ method: 'GET', url: 'https://api/', ...limits });
    const dial = () => made.sockets.dial({ host: 'mail', port: 25, tls: false, timeoutMs: 1 });
    return { sent, socket, ask, dial, stops: () => stops, destroyed: () => destroyed };
  };

  it('is sent on a proof of that moment, and not when the play is another worker’s', async () => {
    const mine = calling(() => true);
    await mine.ask();
    expect(mine.sent).toHaveLength(1);
    expect(await mine.dial()).toBe(mine.socket);
    const lost = calling(() => Promise.resolve(false));
    await expect(lost.ask()).rejects.toMatchObject({ code: 'cancelled' });
    await expect(lost.dial()).rejects.toMatchObject({ code: 'cancelled' });
    expect([lost.sent, lost.destroyed(), lost.stops()]).toEqual([[], 1, 0]);
  });

  it('does not use up its time limit while it waits for the proof', async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const { sent, ask, stops } = calling(() => promise);
    const asked = ask();
    expect([stops(), sent]).toEqual([1, []]);
    resolve(true);
    await asked;
    expect([stops(), sent]).toEqual([0, ['https://api/']]);
  });
});

describe('a call that fails', () => {
  const endOf = async (code: EgressError['code'], firstStatus?: number, abortedBy?: 'timeout', stoodStill = false) => {
    const ends: CallEnd[] = [];
    const abort = new AbortController();
    const error = Object.assign(new EgressError(code, 'failed'), firstStatus !== undefined && { firstStatus });
    const request = async () => {
      if (abortedBy) abort.abort(new LayerFailure(abortedBy, 'the time limit of the layer'));
      throw error;
    };
    const services: { readonly http: EgressClient; readonly sockets: EgressDialer } = {
      http: { request, close: async () => undefined },
      sockets: { dial: () => Promise.reject(error) },
    };
    const gate: CallGate = { enter: () => ({ ended: (how) => void ends.push(how) }) };
    const clock = { stop: () => () => undefined, limit: () => () => undefined, atEnd: () => undefined, stoodStill };
    const call = { companyId: 'c', links: new Map(), onDown: 'fail', signal: abort.signal } as const;
    const { http } = gatedServices(services, gate, { ...call, pausedFor: undefined, clock });
    const limits = { timeoutMs: 1, maxRedirects: 5, maxResponseBytes: 1 };
    await expect(http.request({ method: 'GET', url: 'https://api/', ...limits })).rejects.toBe(error);
    return ends;
  };

  it('counts against its destination when that has not answered', async () => {
    expect(await endOf('connect_failed')).toEqual(['failed']);
    expect(await endOf('timeout')).toEqual(['failed']);
    expect(await endOf('cancelled', undefined, 'timeout')).toEqual(['failed']);
    expect(await endOf('destination_blocked')).toEqual([null]);
  });

  it('says nothing of its destination when this process stood still meanwhile', async () => {
    expect(await endOf('connect_failed', undefined, undefined, true)).toEqual([null]);
    expect(await endOf('cancelled', undefined, 'timeout', true)).toEqual([null]);
  });

  it('does not count against it after its answer, unless that was a failure', async () => {
    expect(await endOf('connect_failed', 302)).toEqual(['answered']);
    expect(await endOf('timeout', 302)).toEqual(['answered']);
    expect(await endOf('cancelled', 302, 'timeout')).toEqual(['answered']);
    expect(await endOf('connect_failed', 200)).toEqual(['answered']);
    expect(await endOf('connect_failed', 503)).toEqual(['failed']);
  });
});

it('a destination is the host and the port of an address', () => {
  const urls = [
    'https://A.Example.com/x',
    'http://a.example.com./',
    'http://a:8080/',
    'http://[::1]/',
    'ftp://a/',
    'nothing',
  ];
  expect(urls.map(destinationOf)).toEqual(['a.example.com:443', 'a.example.com:80', 'a:8080', '[::1]:80', null, null]);
  // known or not: what comes after the origin changes nothing, and a longer host is another origin
  const paths = ['', '/', '/x', '?q', '#h', '/@other', ':81/', '.b/', '\\b', '@b/', ':/', ':65536/', '%2eb/'];
  const asked = [...paths, ...paths].map((path) => destinationOf(`http://127.1${path}`));
  const plain = Array<string>(6).fill('127.0.0.1:80');
  const other = '127.1.b:80';
  const each = [...plain, '127.0.0.1:81', other, '127.0.0.1:80', 'b:80', '127.0.0.1:80', null, other];
  expect(asked).toEqual([...each, ...each]);
});
