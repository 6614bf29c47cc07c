import { Mark } from '../flows/flow-marks';
import type { Api } from './queries';

const WORDS = {
  importing: ['plain', 'Importing …'],
  ready: ['plain', 'Ready'],
  failed: ['bad', 'Failed'],
} as const;

/** How its last import went. */
export function ApiState({ state }: Pick<Api, 'state'>) {
  const [kind, word] = WORDS[state];
  return <Mark kind={kind}>{word}</Mark>;
}
