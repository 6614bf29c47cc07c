import { Metrics } from '@weft/observability';
import type { Mongo } from '@weft/store';
import { EventEmitter } from 'node:events';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { watchMongo } from './watch-mongo.js';

describe('watchMongo', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => void vi.restoreAllMocks().useRealTimers());

  function watched() {
    const client = new EventEmitter();
    const mongo = { connection: { getClient: () => client } } as unknown as Mongo;
    const stuck: string[] = [];
    watchMongo(mongo, new Metrics(), pino({ level: 'silent' }), (collection) => stuck.push(collection));
    const start = (requestId: number) =>
      client.emit('commandStarted', { requestId, commandName: 'find', command: { find: 'plays' } });
    return { client, stuck, start };
  }

  it('tells of a command that the driver neither answers nor fails', () => {
    const { stuck, start } = watched();
    start(1);
    vi.advanceTimersByTime(30_000);
    expect(stuck).toEqual([]);
    vi.advanceTimersByTime(15_000);
    expect(stuck).toContain('plays');
  });

  it('takes no command for one that is never answered because this process stood still', () => {
    const { stuck, start } = watched();
    start(1);
    vi.advanceTimersByTime(4_000);
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 3_600_000);
    vi.advanceTimersByTime(20_000);
    expect(stuck).toEqual([]);
  });

  it('warns of a slow query, and only mentions how long collections and indexes took to make', () => {
    const client = new EventEmitter();
    const lines: { level: number; operation: string }[] = [];
    const log = pino({}, { write: (line) => lines.push(JSON.parse(line) as (typeof lines)[number]) });
    watchMongo({ connection: { getClient: () => client } } as unknown as Mongo, new Metrics(), log);
    for (const commandName of ['find', 'create', 'createIndexes']) {
      client.emit('commandStarted', { requestId: 1, commandName, command: { [commandName]: 'plays' } });
      vi.advanceTimersByTime(600);
      client.emit('commandSucceeded', { requestId: 1, commandName });
    }
    expect(lines.map(({ level, operation }) => [pino.levels.labels[level], operation])).toEqual([
      ['warn', 'find'],
      ['info', 'create'],
      ['info', 'createIndexes'],
    ]);
    client.emit('close');
  });

  it('tells how far a build of indexes is, and says that it is made when it is', async () => {
    const msg = 'Index Build: scanning collection Index Build: scanning collection: 87/100 87%';
    const db = () => ({ aggregate: () => ({ toArray: () => Promise.resolve([{ msg }]) }) });
    const client = Object.assign(new EventEmitter(), { db });
    const lines: { message: string; progress?: string }[] = [];
    const stuck: string[] = [];
    const log = pino(
      { messageKey: 'message' },
      { write: (line) => lines.push(JSON.parse(line) as (typeof lines)[number]) },
    );
    const mongo = { connection: { getClient: () => client } } as unknown as Mongo;
    watchMongo(mongo, new Metrics(), log, (collection) => stuck.push(collection));
    const command = { createIndexes: 'plays' };
    client.emit('commandStarted', { requestId: 1, commandName: 'createIndexes', command });
    await vi.advanceTimersByTimeAsync(90_000);
    expect(lines.map(({ progress }) => progress)).toEqual([msg, msg, msg]);
    client.emit('commandFailed', { requestId: 1, commandName: 'createIndexes' });
    expect([lines.length, stuck]).toEqual([3, []]);
    client.emit('commandStarted', { requestId: 2, commandName: 'createIndexes', command });
    await vi.advanceTimersByTimeAsync(1_000);
    client.emit('commandSucceeded', { requestId: 2, commandName: 'createIndexes' });
    expect(lines.at(-1)?.message).toBe('MongoDB made a collection or its indexes');
    client.emit('close');
  });

  it('is silent about commands that ended, well or not', () => {
    const { client, stuck, start } = watched();
    start(1);
    start(2);
    client.emit('commandSucceeded', { requestId: 1, commandName: 'find' });
    client.emit('commandFailed', { requestId: 2, commandName: 'find' });
    vi.advanceTimersByTime(120_000);
    expect(stuck).toEqual([]);
  });
});
