import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply } from 'fastify';

/** A file that never changes while the process runs, read and compressed once. */
export interface PackedFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** Null where compressing does not make it smaller: fonts and images. */
  readonly gzipped: Buffer | null;
}

export async function packFile(path: string, type: string): Promise<PackedFile> {
  const bytes = await readFile(path);
  const gzipped = /^(text|application)\/|svg/.test(type) ? await promisify(gzip)(bytes) : null;
  return { type, bytes, gzipped };
}

/** @param accepted the request's `Accept-Encoding` */
export function sendPacked(reply: FastifyReply, file: PackedFile, accepted: string | undefined, keep: string): void {
  const zipped = mayZip(accepted) ? file.gzipped : null;
  if (zipped) void reply.header('content-encoding', 'gzip');
  void reply
    .header('cache-control', keep)
    .header('vary', 'accept-encoding')
    .type(file.type)
    .send(zipped ?? file.bytes);
}

function mayZip(accepted: string | undefined): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(accepted ?? '');
}
