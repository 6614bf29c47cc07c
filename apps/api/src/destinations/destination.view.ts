import { DESTINATION_STATES, type DestinationDocument } from '@weft/records';
import { rateLimitShape, type RateLimit } from '@weft/shapes';
import * as s from '../http/schema.js';

/** docs/http-api.md §7: whom the flows of a company call, as far as it is limited or not just up. */
export interface DestinationView {
  /** `host:port`. */
  readonly id: string;
  readonly state: DestinationDocument['state'];
  readonly since: string;
  readonly failureShare: number | null;
  readonly parked: number;
  readonly nextProbe: string | null;
  readonly rate_limit: RateLimit | null;
}

type Shown = Pick<DestinationDocument, 'address' | 'state' | 'since' | 'rate_limit' | 'failureShare' | 'nextProbe'>;

export function toDestinationView(destination: Shown, parked: number): DestinationView {
  const { state, failureShare = null, nextProbe = null } = destination;
  const isOut = state === 'down' || state === 'recovering';
  return {
    id: destination.address,
    state,
    since: destination.since.toISOString(),
    failureShare: isOut ? failureShare : null,
    parked,
    nextProbe: state === 'down' ? (nextProbe?.toISOString() ?? null) : null,
    rate_limit: destination.rate_limit,
  };
}

export const rateLimitSchema = s.named('RateLimit', s.object<RateLimit>(s.fieldsOf(rateLimitShape)));

export const destinationSchema = s.named(
  'Destination',
  s.object<DestinationView>({
    id: { ...s.text, description: 'Host and port, such as api.example.com:443.' },
    state: s.oneOf(DESTINATION_STATES),
    since: { ...s.time, description: 'Of the state.' },
    failureShare: { ...s.numberOrNull, description: 'The share of the calls that failed, of 1, when it went down.' },
    parked: { ...s.integer, description: 'Plays that wait for it; counted up to 10,000.' },
    nextProbe: { ...s.timeOrNull, description: 'When the next call tries whether it can be reached again.' },
    rate_limit: s.orNull(rateLimitSchema),
  }),
);
export const destinationPageSchema = s.pageOf('Destination', destinationSchema);
