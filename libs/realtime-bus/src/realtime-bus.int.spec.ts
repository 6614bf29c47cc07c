import type { LayerProgress, LayerText, PlayNotice } from '@weft/contracts';
import { acceptPlay } from '@weft/engine';
import { openChannels, openRedis, type Channels, type Redis } from '@weft/redis';
import { liveRedis, waitFor } from '@weft/testing';
import { afterEach, describe, expect, it } from 'vitest';

import { BusSeal } from './bus-seal.js';
import { InvalidationBus } from './invalidation-bus.js';
import { noticeJournal, type NoticeJournal } from './notice-journal.js';
import { PlayNotices, type JournalNotice } from './play-notices.js';
import { PlayProgress } from './play-progress.js';
import { PlaySignals } from './play-signals.js';

const { url, prefix } = liveRedis();
const secretsOf = (digit: string) => ({
  encKeySecret: digit.repeat(64),
  encKeySecretPrevious: [],
  envKeySalt: '5'.repeat(64),
});
const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
const sealOf = (digit: string) => new BusSeal(secretsOf(digit), clock);

/** One replica of any process, with its two connections. */
class Replica {
  readonly publisher: Redis;
  readonly subscriberName: string;
  readonly channels: Channels;
  readonly bus: InvalidationBus;
  readonly notices: PlayNotices;
  readonly progress: PlayProgress;
  readonly signals: PlaySignals;
  dropped = 0;
  published = 0;
  readonly gaps: string[] = [];

  constructor(name: string, seal = sealOf('a')) {
    this.subscriberName = `${prefix}-${name}`;
    this.publisher = openRedis(url, 'commands', `${prefix}-${name}-commands`);
    this.channels = openChannels(url, this.subscriberName);
    this.bus = new InvalidationBus(this.publisher, this.channels, prefix, name);
    this.notices = new PlayNotices(this.publisher, this.channels, prefix, seal, {
      onDropped: (count) => (this.dropped += count),
      onPublished: (count) => (this.published += count),
    });
    this.progress = new PlayProgress(this.publisher, this.channels, prefix, seal);
    this.signals = new PlaySignals(this.publisher, this.channels, prefix);
    this.notices.onGap((companies) => this.gaps.push(...companies));
  }

  async connected(): Promise<this> {
    const subscriptions = () => this.publisher.call('PUBSUB', 'NUMSUB', `${prefix}:invalidations`);
    await waitFor(() => this.publisher.status === 'ready' && this.channels.isConnected(), {
      what: 'both connections',
    });
    await waitFor(async () => Number(((await subscriptions()) as unknown[])[1]) >= replicas.length, {
      what: 'the subscription to invalidations',
    });
    return this;
  }

  /** Closes the subscriber's connection from the server's side, as a failover does. */
  async cutSubscriber(): Promise<void> {
    const clients = (await this.publisher.client('LIST')) as string;
    const line = clients.split('\n').find((client) => client.includes(`name=${this.subscriberName} `));
    await this.publisher.client('KILL', 'ID', Number(/id=(\d+)/.exec(line ?? '')?.[1]));
  }

  close(): void {
    this.channels.close();
    this.publisher.disconnect();
  }
}

const replicas: Replica[] = [];
async function openReplica(name: string, seal?: BusSeal): Promise<Replica> {
  const replica = new Replica(name, seal);
  replicas.push(replica);
  return replica.connected();
}
afterEach(() => {
  for (const replica of replicas.splice(0)) replica.close();
});

function journalOf(log: NoticeJournal['log'], layers: NoticeJournal['layers']): NoticeJournal {
  const run = { companyId: 'c1', flowId: 'f', version: 1, args: {}, idempotencyKey: null, dueAt: null } as const;
  const play = acceptPlay({ ...run, playId: 'p', trigger: 'api', triggeredBy: null, serverNow: new Date(0) });
  const journal = noticeJournal({ ...play, log, layers });
  if (!journal) throw new Error('the journal is too large for a notice');
  return journal;
}

describe('InvalidationBus', () => {
  it('tells this process at once, the others soon, and nobody twice', async () => {
    const [here, there] = [await openReplica('here'), await openReplica('there')];
    const heard: string[] = [];
    here.bus.on('flow', (id) => heard.push(`here ${id}`));
    there.bus.on('flow', (id) => heard.push(`there ${id}`));
    there.bus.on('user', (id) => heard.push(`user ${id}`));

    here.bus.publish({ kind: 'flow', id: 'f1' });
    expect(heard).toEqual(['here f1']);
    await waitFor(() => heard.includes('there f1'), { what: 'the other replica' });

    there.bus.publish({ kind: 'flow', id: 'f2' });
    await waitFor(() => heard.includes('here f2'), { what: 'the way back' });
    expect(heard).toEqual(['here f1', 'there f1', 'there f2', 'here f2']);
  });

  it('still tells this process while Redis is away', async () => {
    const here = await openReplica('here');
    const heard: string[] = [];
    const stop = here.bus.on('session', (id) => heard.push(id));
    here.publisher.disconnect();
    here.bus.publish({ kind: 'session', id: 's1' });
    stop();
    here.bus.publish({ kind: 'session', id: 's2' });
    expect(heard).toEqual(['s1']);
  });
});

describe('PlayNotices', () => {
  async function follow(
    replica: Replica,
    companyId: string,
    messages: (readonly JournalNotice[])[],
  ): Promise<() => void> {
    const stop = replica.notices.subscribe(companyId, (notices) => messages.push(notices));
    await waitFor(() => replica.gaps.includes(companyId), { what: 'the subscription' });
    return stop;
  }

  it('sends all notices of one tick as one message a company, the highest seq of each play', async () => {
    const [worker, gateway] = [await openReplica('worker'), await openReplica('gateway')];
    const messages: (readonly PlayNotice[])[] = [];
    const others: (readonly PlayNotice[])[] = [];
    await follow(gateway, 'c1', messages);
    await follow(gateway, 'c2', others);

    worker.notices.announce('c1', 'p1', 2);
    worker.notices.announce('c2', 'p9', 1);
    worker.notices.announce('c1', 'p2', 5);
    worker.notices.announce('c1', 'p1', 3);
    await waitFor(() => messages.length + others.length >= 2, { what: 'both messages' });
    expect(messages).toEqual([
      [
        { playId: 'p1', seq: 3 },
        { playId: 'p2', seq: 5 },
      ],
    ]);
    expect(others).toEqual([[{ playId: 'p9', seq: 1 }]]);
    await waitFor(() => worker.published === 3, { what: 'the count' });
  });

  it('brings small journals to a company that somebody listens to, and to no other', async () => {
    const [worker, gateway] = [await openReplica('worker'), await openReplica('gateway')];
    const messages: (readonly JournalNotice[])[] = [];
    const stop = await follow(gateway, 'c1', messages);
    const at = new Date('2026-11-21T09:00:00.123Z');
    const journal = journalOf([{ seq: 1, type: 'accepted', at }], []);
    const tell = async (playId: string, seq: number) => {
      const published = worker.published;
      worker.notices.announce('c1', playId, seq, journal);
      await waitFor(() => worker.published > published, { what: 'the answer' });
    };

    await tell('before-it-is-known', 1);
    await tell('p1', 1);
    await tell('another-number', 2);
    await waitFor(() => messages.length === 3, { what: 'the notices' });
    expect(messages).toEqual([
      [{ playId: 'before-it-is-known', seq: 1 }],
      [{ playId: 'p1', seq: 1, journal }],
      [{ playId: 'another-number', seq: 2 }],
    ]);

    // two companies in one message each: through a pipeline
    await follow(gateway, 'c2', messages);
    worker.notices.announce('c1', 'p2', 1, journal);
    worker.notices.announce('c2', 'p3', 1, journal);
    await waitFor(() => messages.length === 5, { what: 'the notices' });
    worker.notices.announce('c1', 'p4', 1, journal);
    worker.notices.announce('c2', 'p5', 1, journal);
    await waitFor(() => messages.length === 7, { what: 'the notices' });
    const brought = messages.slice(3).flatMap((notices) => notices.map((one) => [one.playId, 'journal' in one]));
    expect(new Map(brought as [string, boolean][])).toEqual(
      new Map([
        ['p2', true],
        ['p3', false],
        ['p4', true],
        ['p5', true],
      ]),
    );

    stop();
    const listeners = () => worker.publisher.publish(`${prefix}:plays:c1`, '[]');
    await waitFor(async () => (await listeners()) === 0, { what: 'the end of the subscription' });
    await tell('nobody-listens', 1);
    await follow(gateway, 'c1', messages);
    await tell('p6', 1);
    await waitFor(() => messages.length === 8, { what: 'the notice' });
    expect(messages[7]).toEqual([{ playId: 'p6', seq: 1 }]);
  });

  describe('with a journal', () => {
    const at = new Date('2026-11-21T09:00:00.123Z');
    const ended = { state: 'DONE', startedAt: at, completedAt: at, attempts: 1, by: 'w:1' } as const;
    const layer = { ...ended, position: 0, ref: 'l', name: 'L', out: { token: 'canary-out' }, outBytes: 22 };
    const log = [{ seq: 1, type: 'accepted', at } as const];
    const journal = journalOf(log, [layer]);

    /** What Redis receives when a worker announces `p1` with its journal to the watched company `c1`. */
    async function bringJournal(worker: Replica, gateway: Replica, messages: (readonly JournalNotice[])[]) {
      const seen: string[] = [];
      gateway.channels.subscribe(`${prefix}:plays:c1`, (message) => seen.push(message));
      await follow(gateway, 'c1', messages);
      const announce = async (playId: string) => {
        const published = worker.published;
        worker.notices.announce('c1', playId, 1, journal);
        await waitFor(() => worker.published > published, { what: 'the answer' });
      };
      await announce('p0');
      await announce('p1');
      await waitFor(() => messages.length === 2, { what: 'both notices' });
      return seen[1] ?? '';
    }

    it('show Redis ids alone', async () => {
      const [worker, gateway] = [await openReplica('worker'), await openReplica('gateway')];
      const messages: (readonly JournalNotice[])[] = [];
      const seen = await bringJournal(worker, gateway, messages);
      expect(messages[1]).toEqual([{ playId: 'p1', seq: 1, journal }]);
      expect(JSON.parse(seen)).toEqual([['p1', 1, expect.stringMatching(/^[\w-]{8}\.\d{13}\.[\w+/]+=*$/)]]);
    });

    it('are pairs when they were forged, moved, sent again later, or sealed elsewhere', async () => {
      const [worker, gateway] = [await openReplica('worker'), await openReplica('gateway')];
      const stranger = await openReplica('stranger', sealOf('b'));
      const messages: (readonly JournalNotice[])[] = [];
      const seen = await bringJournal(worker, gateway, messages);
      await follow(gateway, 'c2', messages);
      const [[, , sealed]] = JSON.parse(seen) as [[string, number, string]];
      const publish = (companyId: string, message: unknown) =>
        stranger.publisher.publish(`${prefix}:plays:${companyId}`, JSON.stringify(message));
      const cases: readonly (readonly [string, unknown[], readonly JournalNotice[]])[] = [
        ['c1', [['p1', 1, journal]], [{ playId: 'p1', seq: 1 }]],
        ['c1', [['p1', 1, JSON.stringify(journal)]], [{ playId: 'p1', seq: 1 }]],
        [
          'c1',
          [['p1', 1, sealOf('b').seal(`${prefix}:plays:c1 p1 1`, JSON.stringify(journal))]],
          [{ playId: 'p1', seq: 1 }],
        ],
        ['c1', [['p2', 1, sealed]], [{ playId: 'p2', seq: 1 }]],
        ['c1', [['p1', 2, sealed]], [{ playId: 'p1', seq: 2 }]],
        ['c2', [['p1', 1, sealed]], [{ playId: 'p1', seq: 1 }]],
        ['c1', [null, 1, {}, ['p1'], [1, 1], ['p1', '1'], [{ $gt: '' }, 1], ['p3', 1]], [{ playId: 'p3', seq: 1 }]],
      ];
      for (const [companyId, message, read] of cases) {
        const before = messages.length;
        await publish(companyId, message);
        await waitFor(() => messages.length > before, { what: 'the notice' });
        expect(messages.at(-1)).toEqual(read);
      }
      clock.ahead = 60_000;
      await publish('c1', JSON.parse(seen));
      await waitFor(() => messages.length === 2 + cases.length + 1, { what: 'the notice of a minute ago' });
      clock.ahead = 0;
      expect(messages.at(-1)).toEqual([{ playId: 'p1', seq: 1 }]);
    });
  });

  it('keeps a company subscribed until its last follower leaves', async () => {
    const [worker, gateway] = [await openReplica('worker'), await openReplica('gateway')];
    const [first, second]: (readonly PlayNotice[])[][] = [[], []];
    const stopFirst = await follow(gateway, 'c1', first as (readonly PlayNotice[])[]);
    const stopSecond = await follow(gateway, 'c1', second as (readonly PlayNotice[])[]);
    const followers = async () =>
      Number(((await worker.publisher.call('PUBSUB', 'NUMSUB', `${prefix}:plays:c1`)) as unknown[])[1]);

    stopFirst();
    stopFirst();
    worker.notices.announce('c1', 'p1', 1);
    await waitFor(() => second?.length === 1, { what: 'the notice' });
    expect(first).toEqual([]);
    expect(await followers()).toBe(1);
    stopSecond();
    await waitFor(async () => (await followers()) === 0, { what: 'the end of the subscription' });
  });

  it('subscribes again after the connection broke, and says whose notices may be missing', async () => {
    const [worker, gateway] = [await openReplica('worker'), await openReplica('gateway')];
    const messages: (readonly PlayNotice[])[] = [];
    await follow(gateway, 'c1', messages);
    gateway.gaps.length = 0;

    await gateway.cutSubscriber();
    await waitFor(() => gateway.gaps.includes('c1'), { what: 'the gap' });
    worker.notices.announce('c1', 'p1', 7);
    await waitFor(() => messages.length > 0, { what: 'a notice after the break' });
    expect(messages).toEqual([[{ playId: 'p1', seq: 7 }]]);
  });

  it('drops and counts what it cannot send, and never fails', async () => {
    const worker = await openReplica('worker');
    worker.publisher.disconnect();
    worker.notices.announce('c1', 'p1', 1);
    worker.notices.announce('c1', 'p2', 1);
    await waitFor(() => worker.dropped > 0, { what: 'the count' });
    expect(worker.dropped).toBe(2);
  });

  it('delivers what is sent while the subscription comes into being, or tells of a gap after it', async () => {
    const [worker, gateway] = [await openReplica('worker'), await openReplica('gateway')];
    const told: string[] = [];
    gateway.notices.onGap(() => told.push('gap'));
    gateway.notices.subscribe('c1', () => told.push('notice'));
    worker.notices.announce('c1', 'p1', 1);
    await waitFor(() => told.length > 0, { what: 'either' });
    await waitFor(() => told.includes('gap'), { what: 'the gap' });
  });
});

describe('PlayProgress', () => {
  it('reaches who follows the company, of each layer the latest of a tick, and is lost while Redis is away', async () => {
    const [worker, gateway] = [await openReplica('worker'), await openReplica('gateway')];
    const heard: (readonly LayerProgress[])[] = [];
    gateway.progress.subscribe('c1', { progress: (told) => heard.push(told), text: () => undefined });
    const listeners = () => worker.publisher.call('PUBSUB', 'NUMSUB', `${prefix}:progress:c1`);
    await waitFor(async () => Number(((await listeners()) as unknown[])[1]) === 1, { what: 'the subscription' });
    const told = (position: number, percent: number): LayerProgress => ({
      playId: 'p1',
      position,
      attempt: 1,
      percent,
      status: `${percent} of 100`,
    });
    worker.progress.publish('c2', told(0, 1));
    for (const one of [told(0, 10), told(1, 5), told(0, 20)]) worker.progress.publish('c1', one);
    await waitFor(() => heard.length > 0, { what: 'the message' });
    expect(heard).toEqual([[told(0, 20), told(1, 5)]]);
    gateway.publisher.disconnect();
    gateway.progress.publish('c1', told(0, 30));
    worker.progress.publish('c1', told(0, 40));
    await waitFor(() => heard.length > 1, { what: 'the message of the one that is connected' });
    expect(heard[1]).toEqual([told(0, 40)]);
  });

  it('brings what a layer says to companies that have received progress, and sends nothing to others', async () => {
    const [worker, gateway] = [await openReplica('worker'), await openReplica('gateway')];
    const heard: unknown[] = [];
    const told: LayerProgress = { playId: 'p1', position: 0, attempt: 1, percent: 1, status: 's' };
    const said: LayerText = { playId: 'p1', position: 0, answer: 2, at: 3, text: 'and so on' };
    const tell = async () => {
      worker.progress.publish('c1', told);
      await waitFor(() => Promise.resolve(worker.progress.say('c1', said)), { what: 'a listener' });
    };
    expect(worker.progress.say('c1', said)).toBe(false);
    const stop = gateway.progress.subscribe('c1', {
      progress: () => heard.push('progress'),
      text: (text) => heard.push(text),
    });
    const listeners = async () =>
      Number(((await worker.publisher.call('PUBSUB', 'NUMSUB', `${prefix}:progress:c1`)) as unknown[])[1]);
    await waitFor(async () => (await listeners()) === 1, { what: 'the subscription' });
    await tell();
    await waitFor(() => heard.length === 2, { what: 'the text' });
    expect(heard).toEqual(['progress', said]);
    stop();
    await waitFor(async () => (await listeners()) === 0, { what: 'the end of the subscription' });
    worker.progress.publish('c1', told);
    await waitFor(() => !worker.progress.say('c1', said), { what: 'nobody to be left' });
  });

  it('tells Redis nothing, and takes nothing that was not sealed for the company', async () => {
    const [worker, gateway] = [await openReplica('worker'), await openReplica('gateway')];
    const heard: (readonly LayerProgress[])[] = [];
    const seen: string[] = [];
    gateway.channels.subscribe(`${prefix}:progress:c1`, (message) => seen.push(message));
    gateway.progress.subscribe('c1', { progress: (told) => heard.push(told), text: () => undefined });
    gateway.progress.subscribe('c2', { progress: (told) => heard.push(told), text: () => undefined });
    const listeners = () => worker.publisher.call('PUBSUB', 'NUMSUB', `${prefix}:progress:c2`);
    await waitFor(async () => Number(((await listeners()) as unknown[])[1]) === 1, { what: 'the subscription' });
    const told = (percent: number): LayerProgress => ({
      playId: 'p1',
      position: 0,
      attempt: 1,
      percent,
      status: 'canary-status',
    });
    worker.progress.publish('c1', told(10));
    await waitFor(() => heard.length === 1, { what: 'the message' });
    expect(seen[0]).toMatch(/^[\w-]{8}\.\d{13}\.[\w+/]+=*$/);

    await worker.publisher.publish(`${prefix}:progress:c1`, '[["p1",0,1,20,"forged"]]');
    await worker.publisher.publish(`${prefix}:progress:c2`, seen[0] ?? '');
    const otherShape = sealOf('a').seal(`${prefix}:progress:c1`, '{"another":"version"}');
    await worker.publisher.publish(`${prefix}:progress:c1`, otherShape);
    worker.progress.publish('c1', told(30));
    await waitFor(() => seen.length === 4, { what: 'the last message' });
    expect(heard).toEqual([[told(10)], [told(30)]]);
  });
});

describe('PlaySignals', () => {
  it('reach every listener, each play once a tick, and are lost without a fault while Redis is away', async () => {
    const [api, worker] = [await openReplica('api'), await openReplica('worker')];
    const heard: string[] = [];
    const stop = worker.signals.subscribe((playId) => heard.push(playId));
    const listeners = async () =>
      Number(((await api.publisher.call('PUBSUB', 'NUMSUB', `${prefix}:signals`)) as unknown[])[1]);
    await waitFor(async () => (await listeners()) === 1, { what: 'the subscription' });
    for (const playId of ['p1', 'p2', 'p1']) api.signals.publish(playId);
    await waitFor(() => heard.length >= 2, { what: 'the signals' });
    expect(heard).toEqual(['p1', 'p2']);
    worker.publisher.disconnect();
    worker.signals.publish('p3');
    api.signals.publish('p4');
    await waitFor(() => heard.includes('p4'), { what: 'the signal of the one that is connected' });
    expect(heard).toEqual(['p1', 'p2', 'p4']);
    stop();
  });
});
