import { isFields } from '@weft/kernel';
import { LayerFailure } from '../layer-module.js';

const FAIL = '$fail';

/** The failure that a fixture stands for, `{ "$fail": { code, message, statusCode } }`; undefined for an output. */
export function failureIn(fixture: unknown, ref: string): LayerFailure | undefined {
  if (!isFields(fixture) || !Object.hasOwn(fixture, FAIL) || Object.keys(fixture).length !== 1) return undefined;
  const fail = fixture[FAIL];
  if (!isFields(fail) || typeof fail.code !== 'string' || fail.code === '') {
    return new LayerFailure('invalid_args', `the fixture of "${ref}" must name a code: {"$fail":{"code":"timeout"}}`);
  }
  const { code, message, statusCode } = fail;
  const says = typeof message === 'string' ? message : `the fixture of "${ref}" fails with ${code}`;
  return new LayerFailure(code, says, statusCode === undefined ? undefined : { statusCode });
}
