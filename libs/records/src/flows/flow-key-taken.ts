import { WeftError } from '@weft/kernel';
import { isDuplicateKey } from '@weft/store';
import { FLOW_KEY, type FlowDocument } from './flow.schema.js';

/** @throws WeftError `key_taken` when the write failed because another flow of the company has the key */
export async function orKeyTaken<T>(write: Promise<T>, { key }: Pick<FlowDocument, 'key'>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    if (!error.message.includes(`index: ${FLOW_KEY} `)) throw error;
    const message = `another flow of the company has the key "${key ?? ''}"`;
    throw new WeftError('key_taken', `${message[0]?.toUpperCase()}${message.slice(1)}.`, {
      errors: [{ path: 'key', code: 'key_taken', message }],
    });
  }
}
