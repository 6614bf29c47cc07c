export {
  EgressError,
  type EgressClient,
  type EgressErrorCode,
  type EgressRequest,
  type EgressResponse,
} from './egress-client.js';
