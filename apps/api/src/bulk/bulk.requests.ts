import { IntField } from '../http/fields.js';
import { BulkBody } from '../plays/play-bulk.requests.js';

export class StartBulkBody extends BulkBody {
  @IntField({
    description: 'At most this many plays a second; as fast as it goes when left out.',
    min: 1,
    max: 1_000,
    optional: true,
  })
  readonly ratePerSecond?: number;
}
