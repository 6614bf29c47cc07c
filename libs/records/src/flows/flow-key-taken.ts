import { WeftError } from '@weft/kernel';
import mongoose from 'mongoose';
import { FLOW_KEY, type FlowDocument } from './flow.schema.js';

const DUPLICATE_KEY = 11_000;

/** @throws WeftError `key_taken` when the write failed because another flow of the company has the key */
export async function orKeyTaken<T>(write: Promise<T>, { key }: Pick<FlowDocument, 'key'>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (!(error instanceof mongoose.mongo.MongoServerError) || error.code !== DUPLICATE_KEY) throw error;
    if (!error.message.includes(`index: ${FLOW_KEY} `)) throw error;
    const message = `another flow of the company has the key "${key ?? ''}"`;
    throw new WeftError('key_taken', `${message[0]?.toUpperCase()}${message.slice(1)}.`, {
      errors: [{ path: 'key', code: 'key_taken', message }],
    });
  }
}
