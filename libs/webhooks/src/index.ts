export { attemptDelivery, type AttemptDependencies, type AttemptOutcome } from './attempt-delivery.js';
export { deliveryOfPlay, newDelivery, orderOf, orderOfOther, wants } from './delivery.js';
export { rotatedSecret, sealNewSecret, signerOf } from './endpoint-secrets.js';
export {
  eventsOfPlay,
  OTHER_EVENTS,
  PLAY_EVENTS,
  WEBHOOK_EVENTS,
  type EventSource,
  type WebhookEventType,
} from './play-events.js';
export { delayBefore, MAX_ATTEMPTS, MAX_DELAY_SECONDS } from './retry-schedule.js';
export { newSecret, SIGNINGS, Signer, type Signing } from './signing.js';
