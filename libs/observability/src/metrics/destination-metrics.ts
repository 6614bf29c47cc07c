/** Rows of the catalogue: destinations that the layers of flows call. */
export const DESTINATION_METRICS = {
  destinations: {
    type: 'gauge',
    help: 'Destinations of all companies that are down, or recovering; counted up to 10,000',
    labels: ['state'],
  },
  destination_calls_waiting: {
    type: 'gauge',
    help: 'Calls that wait for a rate limit in the slots of their plays',
    labels: [],
  },
  destination_moves_total: {
    type: 'counter',
    help: 'Destinations that went down, began to recover, or are up again',
    labels: ['to'],
    values: { to: ['down', 'recovering', 'up'] },
  },
  destination_probes_total: {
    type: 'counter',
    help: 'Calls that were let through to a destination that is down: answered or failed',
    labels: ['outcome'],
    values: { outcome: ['answered', 'failed'] },
  },
  destination_plays_released_total: {
    type: 'counter',
    help: 'Plays that waited for a destination and were set going again',
    labels: [],
  },
} as const;
