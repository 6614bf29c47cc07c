import { BytesSemaphore } from '@weft/concurrency';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Broker, MOST_ANSWER_BYTES } from './broker.js';
import { decompressed } from './decompress.js';
import { readRecords } from './records.js';
import { topicFacts } from './requests.js';
import { WireWriter } from './wire.js';

/** A broker that says this to whoever asks. */
async function brokerSaying(say: (socket: Socket) => void): Promise<Broker> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', () => say(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  const broker = new Broker(socket, 'kafka:9092', { companyId: 'c', bytes: new BytesSemaphore(4 * MOST_ANSWER_BYTES) });
  onTestFinished(() => {
    broker.close();
    server.close();
  });
  return broker;
}
const framed = (body: Buffer, length = body.length) => Buffer.concat([new WireWriter().int32(length).done(), body]);

describe('a hostile broker', () => {
  it.each([
    [
      'announces more than an answer may have',
      framed(Buffer.alloc(4), MOST_ANSWER_BYTES + 1),
      /are the most|more than/,
    ],
    ['announces a negative length', framed(Buffer.alloc(4), -1), /more than/],
    ['answers something else', framed(new WireWriter().int32(7).done()), /something else/],
    ['answers with nothing', framed(new WireWriter().int32(0).done()), /missing/],
    [
      'lists more brokers than it sends',
      framed(
        new WireWriter()
          .int32(0)
          .int8(0)
          .int32(0)
          .raw(Buffer.from([0xff, 0xff, 0x7f]))
          .done(),
      ),
      /only 0 bytes/,
    ],
    [
      'goes on after its answer',
      Buffer.concat([framed(new WireWriter().int32(0).done()), framed(Buffer.alloc(9))]),
      /nobody asked|missing/,
    ],
  ])('is left when it %s', async (_what, bytes, says) => {
    const broker = await brokerSaying((socket) => socket.write(bytes));
    await expect(broker.ask(topicFacts('t'))).rejects.toThrow(says);
    await expect(broker.ask(topicFacts('t'))).rejects.toThrow();
  });

  it('is left when it hangs up', async () => {
    const broker = await brokerSaying((socket) => socket.end());
    await expect(broker.ask(topicFacts('t'))).rejects.toThrow('has closed the connection');
  });

  it('sends no records that become larger than there is room for', () => {
    const bomb = Buffer.alloc(64 * 1024 * 1024);
    expect(() => decompressed(1, gzipSync(bomb))).toThrow('more than');
    const lz4Bomb = Buffer.concat([
      Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x40, 0x40, 0]),
      new WireWriter()
        .raw(Buffer.from([0x0a, 0, 4, 0]))
        .raw(Buffer.from([0x1f, 0, 1, 0]))
        .raw(Buffer.alloc(0x40006, 255))
        .done(),
      Buffer.alloc(4),
    ]);
    expect(() => decompressed(3, lz4Bomb)).toThrow('more than');
    expect(() => decompressed(2, Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0xfc, 0xff, 0xff, 0xff, 0xff]))).toThrow();
    expect(() => decompressed(1, deflateSync('x'))).toThrow();
    expect(() => decompressed(5, bomb)).toThrow('not known');
  });

  it('is not asked to keep more records than somebody reads, however many it announces', () => {
    const batch = new WireWriter().int32(0).int8(2).int32(0).int16(0).int32(0x7fffffff).int64(0n).int64(0n);
    batch.int64(-1n).int16(-1).int32(-1).int32(0x7fffffff).raw(Buffer.alloc(8));
    const body = batch.done();
    const bytes = new WireWriter().int64(0n).int32(body.length).raw(body).done();
    expect(() => [...readRecords(bytes, 0n, [])]).toThrow('missing');
  });

  it('breaks nothing by any byte', () => {
    const record = new WireWriter().raw(Buffer.from([0x12, 0, 0, 0, 2, 0x6b, 4, 0x76, 0x76, 0]));
    const batch = new WireWriter().int32(0).int8(2).int32(0).int16(0).int32(0).int64(0n).int64(0n);
    const body = batch.int64(-1n).int16(-1).int32(-1).int32(1).raw(record.done()).done();
    const valid = new WireWriter().int64(0n).int32(body.length).raw(body).done();
    expect([...readRecords(valid, 0n, [])].map(({ record: read }) => read?.value?.toString())).toEqual([
      'vv',
      undefined,
    ]);
    for (let at = 0; at < valid.length; at += 1) {
      for (const byte of [0, 1, 0x7f, 0x80, 0xff]) {
        const changed = Buffer.from(valid);
        changed[at] = byte;
        const read = (): number => [...readRecords(changed, 0n, [])].length;
        let said = 'Error';
        try {
          read();
        } catch (error) {
          said = (error as Error).constructor.name;
        }
        expect(['Error', 'WireFault']).toContain(said);
      }
    }
  });
});
