import { RateLimitField, type RateLimitBody } from './rate-limit.request.js';

export class UpdateDestinationBody {
  @RateLimitField()
  readonly rate_limit?: RateLimitBody | null;
}
