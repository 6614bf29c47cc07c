import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { FairSemaphore } from '@weft/concurrency';
import { fileIdOf } from '@weft/contracts';
import type { PayloadRef, Play } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import { PayloadStore, TenantScope } from '@weft/store';
import { parseFreeJson } from '../../http/json-body.js';

/** docs/operator-contract.md §1: args that were uploaded. Reading them takes the process tens of milliseconds. */
const MAX_BYTES = 8 * 1024 * 1024;
/** They are held whole while they are read. */
const AT_ONCE = 4;

export interface RunArgs {
  readonly args: Play['args'];
  /** Where they are stored. */
  readonly argsRef?: PayloadRef;
}

/** Reads args that a run refers to: `args: { "$ref": "/api/v1/payloads/<id>" }`. */
@Injectable()
export class UploadedArgs {
  private readonly places = new FairSemaphore(AT_ONCE);

  constructor(private readonly payloads: PayloadStore) {}

  /** @throws WeftError `unknown_id`, `value_too_large`, `malformed_json`, `invalid_body` */
  async read(companyId: string, args: Play['args']): Promise<RunArgs> {
    const id = fileIdOf(args);
    if (id === null) return { args };
    const leave = await this.places.acquire(companyId);
    try {
      const file = await this.payloads.userFiles.open(new TenantScope(companyId), id);
      if (!file) throw refusal('unknown_id', 'names no file of the company, or one that is not kept any more');
      if (file.bytes > MAX_BYTES)
        throw refusal('value_too_large', `has ${file.bytes} bytes; args may have ${MAX_BYTES}`);
      const content = await buffer(Readable.from(file.read()));
      const read = parseFreeJson(content, 'args');
      if (typeof read !== 'object' || read === null || Array.isArray(read)) {
        throw refusal('invalid_body', 'must be a JSON object, as args are');
      }
      return { args: read as Play['args'], argsRef: { $ref: id, bytes: file.bytes } };
    } finally {
      leave();
    }
  }
}

function refusal(code: 'unknown_id' | 'value_too_large' | 'invalid_body', message: string): WeftError {
  return new WeftError(code, `What "args.$ref" refers to ${message}.`, {
    errors: [{ path: 'args.$ref', code, message }],
  });
}
