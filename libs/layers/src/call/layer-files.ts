/** Files that layers send and receive, in the payload store. */
import { fileIdOf, type FileValue } from '@weft/contracts';
import { LayerFailure, type LayerFiles } from '../layer-module.js';
import type { LayerCall } from './layer-call.js';
import type { PayloadOf } from './layer-payloads.js';

export interface StoredFile extends FileValue {
  /** From its beginning, a piece at a time; it may be called several times. */
  read(): AsyncIterable<Buffer>;
}

export interface FileSource {
  /** Null when the company has no such file (any more). */
  open(companyId: string, id: string): Promise<StoredFile | null>;
  /** Rejects with the error of the content; nothing stays stored then. */
  store(
    of: PayloadOf,
    content: AsyncIterable<Uint8Array>,
    label: { readonly contentType: string; readonly filename: string | null },
  ): Promise<FileValue>;
}

/** The files of the play's company, for one call. */
export function filesOf(source: FileSource | null, { play }: Pick<LayerCall, 'play'>): LayerFiles {
  const { company_id: companyId, flowId, _id: playId } = play;
  return {
    open: async (value, where) => {
      const id = fileIdOf(value);
      const file = id === null || !source ? null : await source.open(companyId, id);
      if (file) return file;
      throw new LayerFailure('invalid_args', `"${where}" refers to a file that is not kept, or not any more.`);
    },
    store: (content, label) => {
      if (!source) throw new LayerFailure('invalid_args', 'Files are not stored in a dry run.');
      return source.store({ companyId, flowId, playId }, content, label);
    },
  };
}
