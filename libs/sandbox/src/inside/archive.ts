/** The files of an archive, within bounds. Nothing is written to a disk: a name is only a key, and a link leads nowhere. */
import { normalize } from 'node:path/posix';
import { gunzipSync } from 'node:zlib';
import { TaskFailed } from './errors.js';

const MAX_ENTRIES = 10_000;
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;
/** Folders in each other. */
const MAX_DEPTH = 32;
/** Bytes of a tar archive besides the files in it: two blocks for each, the last of a file filled up. */
const MAX_TAR_BYTES = MAX_UNPACKED_BYTES + MAX_ENTRIES * 2_048;
/** Others are not read. */
const PARTS = /\.(json|ya?ml)$/i;

export type Files = ReadonlyMap<string, Uint8Array>;

/** `zip`, `tar`, `gzip` by the first bytes; null: none of them. */
export function archiveOf(bytes: Uint8Array): 'zip' | 'tar' | 'gzip' | null {
  const begins = (text: string, at = 0): boolean =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      .subarray(at, at + text.length)
      .equals(Buffer.from(text, 'latin1'));
  if (begins('PK\x03\x04')) return 'zip';
  if (begins('\x1f\x8b')) return 'gzip';
  return begins('ustar', 257) ? 'tar' : null;
}

/**
 * The files in JSON and YAML of a zip or tar archive, by their paths with `/`.
 *
 * @throws TaskFailed
 */
export async function unpack(bytes: Uint8Array): Promise<Files> {
  try {
    const kind = archiveOf(bytes);
    if (kind === 'zip') return await unzip(bytes);
    const tar = kind === 'gzip' ? gunzipSync(bytes, { maxOutputLength: MAX_TAR_BYTES }) : bytes;
    if (archiveOf(tar) !== 'tar') throw new TaskFailed('The upload is compressed, and not a tar archive.');
    return await untar(tar);
  } catch (error) {
    if (error instanceof TaskFailed) throw error;
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw new TaskFailed(`The archive cannot be read: ${error instanceof Error ? error.message : 'it is damaged'}.`);
  }
}

async function unzip(bytes: Uint8Array): Promise<Files> {
  const { unzipSync } = await import('fflate');
  const bounds = new Bounds();
  const entries = unzipSync(bytes, {
    // a size is what the archive says: no file becomes larger, nor takes more room
    filter: ({ name, size, originalSize }) => bounds.takes(name, Math.max(size, originalSize)),
  });
  return new Map(Object.entries(entries).map(([name, data]) => [pathOf(name), data]));
}

async function untar(bytes: Uint8Array): Promise<Files> {
  const { unpackTar } = await import('modern-tar');
  const bounds = new Bounds();
  const entries = await unpackTar(bytes, {
    strict: true,
    filter: ({ name, size, type }) => bounds.takes(name, size, type === 'file'),
  });
  return new Map(entries.map(({ header, data }) => [pathOf(header.name), data ?? new Uint8Array()]));
}

class Bounds {
  private entries = 0;
  private bytes = 0;

  /** Whether the entry is a part of a document. @throws TaskFailed */
  takes(name: string, size: number, isFile = true): boolean {
    this.entries += 1;
    if (this.entries > MAX_ENTRIES) throw new TaskFailed(`The archive has more than ${MAX_ENTRIES} entries.`);
    if (!isFile || !PARTS.test(name)) return false;
    this.bytes += size;
    if (this.bytes > MAX_UNPACKED_BYTES) throw tooLarge();
    const path = pathOf(name);
    const shown = JSON.stringify(name.slice(0, 200));
    if (/^(\/|\.\.\/|[a-z]:)/i.test(path))
      throw new TaskFailed(`The archive has a file outside of its root: ${shown}.`);
    if (path.split('/').length > MAX_DEPTH) {
      throw new TaskFailed(`The archive has a file in more than ${MAX_DEPTH} folders: ${shown}.`);
    }
    return true;
  }
}

function tooLarge(): TaskFailed {
  return new TaskFailed(`The archive has more than ${MAX_UNPACKED_BYTES} bytes when it is unpacked.`);
}

/** Some archives are written with the separators of Windows. */
function pathOf(name: string): string {
  return normalize(name.replaceAll('\\', '/'));
}
