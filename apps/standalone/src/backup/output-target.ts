import { Writable } from 'node:stream';
import type { BackupTarget } from '@weft/records';

/** Standard output, for `kubectl exec … > file`: whoever reads it sees from the end mark whether it is whole. */
export function outputTarget(): BackupTarget {
  return {
    // it must not be closed, as a stream that is piped into is
    stream: new Writable({ write: (chunk: Buffer, _, done) => void process.stdout.write(chunk, done) }),
    finish: () => Promise.resolve(),
    discard: () => Promise.resolve(),
  };
}
