export { attemptDelivery, type AttemptDependencies, type AttemptOutcome } from './attempt-delivery.js';
export { deliveryOfPlay, newDelivery, orderOf, orderOfOther, wants } from './delivery.js';
export { rotatedSecret, sealNewSecret, signerOf } from './endpoint-secrets.js';
export { eventsOfPlay, type EventSource } from './play-events.js';
export { delayBefore } from './retry-schedule.js';
export { newSecret, Signer, type Signing } from './signing.js';
