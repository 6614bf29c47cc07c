import { Cluster, Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Batch } from './batch.js';

type Answers = readonly (readonly [Error | null, unknown])[] | Error;

/** Each pipeline records its commands, and answers with them, or fails. */
function pretend(redis: Redis | Cluster, answer: (commands: readonly string[]) => Answers) {
  onTestFinished(() => redis.disconnect());
  const sent: string[][] = [];
  const pipeline = () => {
    const commands: string[] = [];
    sent.push(commands);
    const add = (name: string) => (key: string) => void commands.push(`${name} ${key}`);
    const exec = async () => {
      const answers = answer(commands);
      if (answers instanceof Error) throw answers;
      return answers;
    };
    return { scard: add('scard'), publish: add('publish'), spublish: add('spublish'), exec, get length() { return commands.length; } }; // prettier-ignore
  };
  return { redis: Object.assign(redis, { pipeline }) as never, sent };
}

const echo = (commands: readonly string[]): Answers => commands.map((command) => [null, command]);
const one = () => new Redis({ lazyConnect: true });
const cluster = () => new Cluster([{ host: 'one' }], { lazyConnect: true });

const addTo = (batch: Batch) => {
  for (const key of ['{w:a}:x', '{w:b}:x', '{w:a}:y', 'plain']) batch.of(key).scard(key);
  return batch;
};
const COMMANDS = ['scard {w:a}:x', 'scard {w:b}:x', 'scard {w:a}:y', 'scard plain'];

describe('commands', () => {
  it('go to one server in one round trip', async () => {
    const { redis, sent } = pretend(one(), echo);
    expect(await addTo(new Batch(redis)).answers()).toEqual(COMMANDS);
    expect(sent).toEqual([COMMANDS]);
  });

  it('go to a cluster in one round trip for each slot, and are answered in their order', async () => {
    const { redis, sent } = pretend(cluster(), echo);
    expect(await addTo(new Batch(redis)).answers()).toEqual(COMMANDS);
    expect(sent).toEqual([[COMMANDS[0], COMMANDS[2]], [COMMANDS[1]], [COMMANDS[3]]]);
  });

  it('of one slot that fail do not take the answers of the others', async () => {
    const gone = new Error('gone');
    const { redis } = pretend(cluster(), (commands) => (commands.length > 1 ? gone : echo(commands)));
    expect(await addTo(new Batch(redis)).replies()).toEqual([
      [gone, null],
      [null, COMMANDS[1]],
      [gone, null],
      [null, COMMANDS[3]],
    ]);
    await expect(addTo(new Batch(redis)).answers()).rejects.toBe(gone);
  });

  it('publish to the server that has the slot of the channel', async () => {
    for (const [connection, command] of [
      [one(), 'publish'],
      [cluster(), 'spublish'],
    ] as const) {
      const { redis } = pretend(connection, echo);
      const batch = new Batch(redis);
      batch.publish('channel', 'text');
      expect(await batch.answers()).toEqual([`${command} channel`]);
    }
  });
});
