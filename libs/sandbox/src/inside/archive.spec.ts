import { gzipSync } from 'node:zlib';
import { zipSync, type Zippable } from 'fflate';
import { packTar, type TarEntry } from 'modern-tar';
import { describe, expect, it } from 'vitest';
import { archiveOf, unpack } from './archive.js';

const MB = 1024 * 1024;
const text = (value: string): Uint8Array => Buffer.from(value);
const zip = (entries: Zippable): Uint8Array => zipSync(entries);
const tar = async (...entries: TarEntry[]): Promise<Uint8Array> => packTar(entries);
const file = (name: string, body = 'x: 1'): TarEntry => ({ header: { name, type: 'file', size: body.length }, body });

/** With one file of 100,000 bytes, and a size that it says instead. */
function zipOfSize(size: number): Uint8Array {
  const bytes = Buffer.from(zip({ 'a.yaml': new Uint8Array(100_000) }));
  bytes.writeUInt32LE(size, bytes.lastIndexOf('PK\x01\x02', undefined, 'latin1') + 24);
  return bytes;
}

async function texts(bytes: Uint8Array): Promise<Record<string, string>> {
  return Object.fromEntries([...(await unpack(bytes))].map(([path, data]) => [path, Buffer.from(data).toString()]));
}

describe('an archive', () => {
  const long = `${'folder/'.repeat(25)}a.yml`;
  const all = { 'a.yaml': 'x: 1', [long]: 'y: 2', 'b/c.json': '{}' };

  it('gives its files in JSON and YAML, by their paths', async () => {
    const entries = Object.entries({ ...all, 'read.me': 'no' });
    const tarred = await tar(
      { header: { name: 'b/', type: 'directory', size: 0 } },
      ...entries.map(([n, t]) => file(n, t)),
    );
    const zipped = zip(Object.fromEntries(entries.map(([name, value]) => [name.replaceAll('/', '\\'), text(value)])));
    for (const bytes of [tarred, gzipSync(tarred), zipped]) expect(await texts(bytes)).toEqual(all);
    expect(await texts(await tar(file('./a.yaml')))).toEqual({ 'a.yaml': 'x: 1' });
  });

  it('is told from a document by its bytes', () => {
    for (const document of ['{"openapi":"3.1.0"}', 'openapi: 3.1.0', '', 'PK'])
      expect(archiveOf(text(document))).toBeNull();
  });

  it('with a file outside of its root is refused', async () => {
    for (const name of ['../a.yaml', 'a/../../b.yaml', '/etc/a.yaml', '..\\a.yaml', 'C:\\a.yaml']) {
      const refusal = `The archive has a file outside of its root: ${JSON.stringify(name)}.`;
      await expect(unpack(zip({ [name]: text('x: 1') }))).rejects.toThrow(refusal);
      await expect(tar(file(name)).then(unpack)).rejects.toThrow(refusal);
    }
  });

  it('has no links', async () => {
    const link = (type: 'symlink' | 'link'): TarEntry => ({
      header: { name: `${type}.yaml`, type, size: 0, linkname: '/etc/passwd' },
    });
    expect(await texts(await tar(link('symlink'), link('link'), file('a.yaml')))).toEqual({ 'a.yaml': 'x: 1' });
  });

  it('that is a bomb is refused at the bound, whatever it says of itself', async () => {
    const tooLarge = `The archive has more than ${64 * MB} bytes when it is unpacked.`;
    const bomb = zipOfSize(64 * MB + 1);
    await expect(unpack(bomb)).rejects.toThrow(tooLarge);
    await expect(unpack(gzipSync(new Uint8Array(85 * MB)))).rejects.toThrow(tooLarge);
    // what is in it has more bytes than it says
    expect((await unpack(zipOfSize(1))).get('a.yaml')?.byteLength).toBe(1);
  });

  it('with too many entries, or folders in each other, is refused', async () => {
    const header = (await tar(file('a.txt', ''))).subarray(0, 512);
    const many = Buffer.alloc(10_001 * 512 + 1_024).fill(header, 0, 10_001 * 512);
    await expect(unpack(many)).rejects.toThrow('The archive has more than 10000 entries.');
    await expect(unpack(zip({ [`${'a/'.repeat(32)}a.yaml`]: text('') }))).rejects.toThrow('in more than 32 folders');
  });

  it('that is damaged, or something else in gzip, is refused', async () => {
    const whole = await tar(file('a.yaml', 'x'.repeat(2_000)));
    await expect(unpack(whole.subarray(0, 1_500))).rejects.toThrow('The archive cannot be read: ');
    await expect(unpack(zip({ 'a.yaml': text('x') }).subarray(0, 40))).rejects.toThrow('The archive cannot be read: ');
    await expect(unpack(gzipSync('openapi: 3.1.0'))).rejects.toThrow('is compressed, and not a tar archive');
  });
});
