import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply } from 'fastify';

/** The encodings, the smaller one first. */
const PACKERS = [
  // at 11, the script of the dashboard takes a second
  ['br', (bytes: Buffer) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })],
  ['gzip', (bytes: Buffer) => promisify(gzip)(bytes)],
] as const;

/** A file that never changes while the process runs, read and compressed once. */
export interface PackedFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** By encoding, the smaller one first; empty where compressing does not make it smaller: fonts and images. */
  readonly packed: readonly (readonly [encoding: string, bytes: Buffer])[];
}

export async function packFile(path: string, type: string): Promise<PackedFile> {
  const bytes = await readFile(path);
  if (!/^(text|application)\/|svg/.test(type)) return { type, bytes, packed: [] };
  return {
    type,
    bytes,
    packed: await Promise.all(PACKERS.map(async ([encoding, pack]) => [encoding, await pack(bytes)] as const)),
  };
}

/** @param accepted the request's `Accept-Encoding` */
export function sendPacked(reply: FastifyReply, file: PackedFile, accepted: string | undefined, keep: string): void {
  const [encoding, bytes] = file.packed.find(([each]) => accepts(accepted, each)) ?? [null, file.bytes];
  if (encoding !== null) void reply.header('content-encoding', encoding);
  void reply.header('cache-control', keep).header('vary', 'accept-encoding').type(file.type).send(bytes);
}

function accepts(accepted: string | undefined, encoding: string): boolean {
  return new RegExp(`\\b${encoding}\\b(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))`).test(accepted ?? '');
}
