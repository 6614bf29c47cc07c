/** What the forms of the dashboard keep to: what reads shapes is too large for a page, so `npm run docs` writes it for them. */
import { z } from 'zod';
import { flowShape, settingsShape } from './flow.js';
import { AWS_SECRETS, linkSettingsShape, rateLimitShape } from './link.js';
import { sourceShape } from './trigger-source.js';
import { triggerShape, verifierShape } from './trigger.js';
import { webhookShape } from './webhook.js';

const FIELDS = {
  flow: flowShape.pick({ name: true, description: true, category: true }),
  settings: settingsShape.pick({ concurrency: true, priority: true, timeoutMs: true, maxOutputBytes: true }),
  trigger: triggerShape.pick({ wait: true }),
  source: sourceShape.pick({ everySeconds: true }),
  verifier: verifierShape.pick({ tolerance_seconds: true }),
  webhook: webhookShape.pick({ rate_per_second: true, max_in_flight: true }),
  rateLimit: rateLimitShape.pick({ limit: true }),
  link: linkSettingsShape.pick({ pool: true }),
};

/** By noun and field: the smallest and the largest number, or how long a text may be; `awsSecrets` has the names of these. */
export function formBounds(): Record<string, Record<string, object>> {
  const boundsOf = (shape: z.ZodObject) =>
    Object.fromEntries(Object.entries<z.ZodType>(shape.shape).map(([name, field]) => [name, boundsIn(field)]));
  const bounds = Object.fromEntries(Object.entries(FIELDS).map(([noun, shape]) => [noun, boundsOf(shape)]));
  return { ...bounds, awsSecrets: Object.fromEntries(AWS_SECRETS.map((name) => [name, {}])) };
}

/** Of a field with several forms those of the first. */
function boundsIn(field: z.ZodType): object {
  let form = z.toJSONSchema(field, { io: 'input' }) as z.core.JSONSchema.BaseSchema;
  while (form.anyOf?.[0]) form = form.anyOf[0];
  const { minimum: min, maximum: max, maxLength } = form;
  return { min, max, maxLength };
}
