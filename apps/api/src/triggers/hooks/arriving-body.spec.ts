import { PassThrough, Readable } from 'node:stream';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ArrivingBodies, decoded } from './arriving-body.js';

const MB = 1024 * 1024;
const NEVER = new AbortController().signal;
const coded = (code: string) => expect.objectContaining({ code }) as Error;

describe('the body of a delivery', () => {
  it('is the bytes as they came, also when their number is not announced', async () => {
    const bodies = new ArrivingBodies();
    const sent = Buffer.alloc(3 * MB, 'a');
    for (const announced of [sent.length, null]) {
      const stream = Readable.from([sent.subarray(0, MB), sent.subarray(MB)]);
      const arrived = await bodies.read({ stream, announced, coding: null }, 4 * MB, 'c', NEVER);
      expect(arrived.bytes.equals(sent)).toBe(true);
      arrived.release();
    }
  });

  it('is refused where it is larger than the trigger takes: by what is announced, or as it comes', async () => {
    const bodies = new ArrivingBodies();
    const stream = Readable.from([Buffer.alloc(10), Buffer.alloc(10)]);
    await expect(bodies.read({ stream, announced: 20, coding: null }, 19, 'c', NEVER)).rejects.toThrow(
      coded('body_too_large'),
    );
    await expect(bodies.read({ stream, announced: null, coding: null }, 19, 'c', NEVER)).rejects.toThrow(
      coded('body_too_large'),
    );
    const cut = new PassThrough();
    cut.destroy(new Error('aborted'));
    await expect(bodies.read({ stream: cut, announced: null, coding: null }, 19, 'c', NEVER)).rejects.toThrow(
      coded('request_timeout'),
    );
  });

  it('of 25 MB is held for one sender of a company at a time: others wait unread, and other companies do not', async () => {
    const bodies = new ArrivingBodies();
    const gone = new AbortController();
    const hanging = (companyId: string) => {
      const stream = new PassThrough();
      const read = bodies.read({ stream, announced: 25 * MB, coding: null }, 25 * MB, companyId, gone.signal);
      read.catch(() => undefined);
      return { stream, read };
    };
    const many = Array.from({ length: 40 }, () => hanging('flooded'));
    const other = hanging('other');
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    for (let i = 0; i < 5; i += 1) await turn();
    const isRead = ({ stream }: { readonly stream: PassThrough }) => stream.listenerCount('readable') > 0;
    expect(many.filter(isRead)).toHaveLength(1);
    expect(isRead(other)).toBe(true);
    // the first has ended: the next one is read
    many[0]?.stream.end(Buffer.alloc(25 * MB));
    (await many[0]?.read)?.release();
    for (let i = 0; i < 5; i += 1) await turn();
    expect(many.filter(isRead).length).toBeLessThanOrEqual(2);
    expect(isRead(many[1] as (typeof many)[number])).toBe(true);
    gone.abort();
    await expect(many[39]?.read).rejects.toThrow(coded('too_many_deliveries'));
  });

  it('is decoded within the limit', async () => {
    const bomb = Buffer.alloc(30 * MB);
    for (const [bytes, coding] of [
      [gzipSync(bomb, { level: 1 }), 'gzip'],
      [brotliCompressSync(bomb, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }), 'br'],
    ] as const)
      await expect(decoded(bytes, coding, 25 * MB)).rejects.toThrow(coded('body_too_large'));
    expect((await decoded(gzipSync('x'), 'gzip', 1)).toString()).toBe('x');
    await expect(decoded(Buffer.from('x'), 'br', 10)).rejects.toThrow(coded('invalid_body'));
    await expect(decoded(Buffer.from('x'), 'gzip, br', 10)).rejects.toThrow(coded('unsupported_media_type'));
  });
});
