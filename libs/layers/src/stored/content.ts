import type { ContentReading, PayloadForm, PayloadRef } from '@weft/engine';
import { LayerFailure, type LayerStorage, type Output } from '../layer-module.js';
import type { LayerUpload } from '../call/layer-payloads.js';

/** Content in the payload store that an output will be made of. */
export class StoredContent {
  constructor(private readonly upload: LayerUpload) {}

  get bytes(): number {
    return this.upload.bytes;
  }

  /** A field of the output: how it reads the content. */
  read(reading: ContentReading): ContentField {
    return new ContentField(this, reading);
  }

  finish(form: PayloadForm): Promise<PayloadRef> {
    return this.upload.finish(form);
  }

  discard(): Promise<void> {
    return this.upload.discard();
  }
}

/** Marks the place in an output where the content is read. */
class ContentField {
  constructor(
    readonly content: StoredContent,
    readonly reading: ContentReading,
  ) {}
}

/** An output some fields of which read stored content. */
export interface ContentOutput {
  readonly content: StoredContent;
  readonly form: PayloadForm;
}

/** Null for an ordinary output. Checks only the fields of the output itself. */
export function contentOutput(out: unknown): ContentOutput | null {
  if (!readsContent(out)) return null;
  const fields = Object.entries(out);
  const reading = fields.flatMap(([name, value]) => (value instanceof ContentField ? [[name, value] as const] : []));
  const content = reading[0]?.[1].content;
  if (!content) return null;
  const others = fields.filter(([, value]) => !(value instanceof ContentField));
  return {
    content,
    form: {
      outline: JSON.stringify(Object.fromEntries(others)),
      content: Object.fromEntries(reading.map(([name, value]) => [name, value.reading])),
    },
  };
}

/** Checked for every output: most have no such field. */
export function readsContent(out: unknown): out is Output {
  if (typeof out !== 'object' || out === null || Array.isArray(out)) return false;
  for (const name in out) if ((out as Output)[name] instanceof ContentField) return true;
  return false;
}

/** @throws LayerFailure `output_too_large` by `put`, past `maxBytes` */
export function storageFor(upload: () => LayerUpload, maxBytes: number): LayerStorage {
  return {
    put: async (content) => {
      const into = upload();
      await into.write(noMoreThan(content, maxBytes));
      return new StoredContent(into);
    },
  };
}

async function* noMoreThan(content: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes)
      throw new LayerFailure('output_too_large', `The output has more than ${maxBytes} bytes, which are allowed.`);
    yield chunk;
  }
}
