import type { FrameType } from '@weft/contracts';
import { ChoicesParam, IntParam, TextParam } from '../http/query-fields.js';

/** All but progress, which is not stored. */
const STORED_TYPES = [
  'play_state_change',
  'layer_start',
  'layer_error',
  'layer_complete',
  'play_complete',
] as const satisfies readonly FrameType[];

const MAX_WAIT_SECONDS = 30;

export class ChangesQuery {
  @TextParam('`start`, or the cursor of the last line that was read. Without one the answer is the cursor of now.')
  readonly cursor?: string;

  @IntParam('Seconds to wait for a change where there is none.', 0, MAX_WAIT_SECONDS, 0)
  readonly wait?: number;

  @ChoicesParam('Changes of these types.', STORED_TYPES)
  readonly types?: readonly (typeof STORED_TYPES)[number][];
}
