import type { mongo as driver } from 'mongoose';
import { describe, expect, it } from 'vitest';
import type { Mongo } from '../../driver/mongo.js';
import { DurableCommands } from './durable-commands.js';

/** A primary whose writes are answered when the test says so. */
function primary() {
  const writes: (() => void)[] = [];
  const command = () => new Promise<driver.Document>((resolve) => writes.push(() => resolve({})));
  const mongo = { db: { command } as unknown as Mongo['db'], election: 'first' as string | undefined };
  const reads: string[] = [];
  const commands = new DurableCommands(mongo);
  const read = (during = () => {}) =>
    commands.read(() => {
      during();
      reads.push(String(mongo.election));
      return Promise.resolve(reads.length);
    });
  return { mongo, writes, reads, read };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a read', () => {
  it('waits for a write to a new primary, one for all reads of the process', async () => {
    const { mongo, writes, reads, read } = primary();
    const first = [read(), read()];
    await settled();
    expect([reads, writes.length]).toEqual([[], 1]);
    writes[0]?.();
    await Promise.all(first);
    await read();
    expect(writes).toHaveLength(1);
    mongo.election = 'second';
    const later = [read(), read()];
    await settled();
    expect([reads.length, writes.length]).toEqual([3, 2]);
    writes[1]?.();
    await Promise.all(later);
    expect(reads).toEqual(['first', 'first', 'first', 'second', 'second']);
  });

  it('is repeated when the primary changed before its answer', async () => {
    const { mongo, writes, reads, read } = primary();
    const answer = read(() => void (mongo.election = 'second'));
    await settled();
    writes[0]?.();
    await settled();
    writes[1]?.();
    expect(await answer).toBe(2);
    expect(reads).toHaveLength(2);
  });

  it('waits for another write when the primary changed while it waited', async () => {
    const { mongo, writes, reads, read } = primary();
    const answer = read();
    await settled();
    mongo.election = 'second';
    const other = read();
    await settled();
    writes[0]?.();
    await settled();
    expect(writes.length).toBeGreaterThan(1);
    for (const write of writes) write();
    await Promise.all([answer, other]);
    expect(reads.at(-1)).toBe('second');
  });

  it('fails as by an unreachable store when the new primary has no majority', async () => {
    const { mongo, read } = primary();
    const refusal = new Error('no majority');
    mongo.db.command = () => Promise.reject(refusal);
    await expect(read()).rejects.toBe(refusal);
  });
});
