import { LayerFailure } from '../layer-module.js';
import type { RecordedStep, SteppingModule } from '../stepping-module.js';

/**
 * The recorded steps that a fixture gives to a layer that works in steps, `{ "replay": [ … ] }`; null: it is an output.
 *
 * @returns a failure: they cannot be read
 */
export function replayIn(
  fixture: unknown,
  { recordSchema }: SteppingModule<unknown>,
  ref: string,
): readonly RecordedStep[] | LayerFailure | null {
  if (typeof fixture !== 'object' || fixture === null || Object.keys(fixture).join(' ') !== 'replay') return null;
  const { replay } = fixture as { readonly replay: unknown };
  const { data, error } = recordSchema.array().safeParse(replay);
  if (data) return data;
  const [issue] = error.issues;
  const where = ['replay', ...(issue?.path ?? [])].join('.');
  return new LayerFailure('invalid_args', `the fixture of "${ref}": ${where}: ${issue?.message ?? 'is not known'}`);
}
