import { LayerFailure, type Connection } from '../../layer-module.js';

/** By the type of the link. */
const DEFAULT_ENDPOINTS: Readonly<Record<string, string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
};

/** Base URL of the API, without a slash at its end. @throws LayerFailure `integration_unusable` */
export function endpointOf({ endpoint, type }: Connection): string {
  const base = endpoint ?? DEFAULT_ENDPOINTS[type.toLowerCase()];
  if (base !== undefined && /^https?:/.test(base)) return base.replace(/\/+$/, '');
  throw new LayerFailure(
    'integration_unusable',
    'The integration cannot be used: its endpoint is not the http:// or https:// base of a chat API.',
  );
}
