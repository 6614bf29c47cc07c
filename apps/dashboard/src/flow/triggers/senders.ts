import type { VerifierType } from './queries';

/** A sender that people choose, and what they do there. */
interface Sender {
  readonly value: VerifierType;
  readonly label: string;
  /** Where what is typed here comes from, and where the address goes. */
  readonly says: string;
  /** What the API calls these fields; the names that the sender has for them. */
  readonly secrets?: string;
  readonly token?: string;
}

export const SENDERS: readonly Sender[] = [
  {
    value: 'standard',
    label: 'Standard Webhooks',
    says: 'Copy the signing secret (whsec_…) or the public key (whpk_…) of the endpoint from the sender.',
    secrets: 'Signing secrets',
  },
  {
    value: 'svix',
    label: 'Svix (Clerk, Resend and others)',
    says: 'Add the address as an endpoint there, and copy its signing secret (whsec_…) here.',
    secrets: 'Signing secrets',
  },
  {
    value: 'github',
    label: 'GitHub',
    says: 'Settings → Webhooks → Add webhook: the address is the Payload URL. Make up a secret, for there and here.',
    secrets: 'Secrets',
  },
  {
    value: 'gitlab',
    label: 'GitLab',
    says: 'Settings → Webhooks: the address is the URL. Make up a secret token, for there and here.',
    token: 'Secret token',
  },
  {
    value: 'stripe',
    label: 'Stripe',
    says: 'Developers → Webhooks: add the address as an endpoint, and copy its signing secret here.',
    secrets: 'Signing secrets',
  },
  {
    value: 'slack',
    label: 'Slack',
    says: 'Copy the signing secret of the app (Basic Information). The address is the Request URL; its check is answered.',
    secrets: 'Signing secrets',
  },
  {
    value: 'shopify',
    label: 'Shopify',
    says: 'Settings → Notifications → Webhooks: the address is the URL, and the key under the list goes here.',
    secrets: 'Keys',
  },
  {
    value: 'meta',
    label: 'Meta (WhatsApp, Facebook, Instagram)',
    says: 'The address is the Callback URL. Make up a verify token, for there and here; the app secret is under App settings.',
    secrets: 'App secrets',
    token: 'Verify token',
  },
  {
    value: 'dropbox',
    label: 'Dropbox',
    says: 'App Console: the address is the Webhook URI, whose check is answered. The app secret goes here.',
    secrets: 'App secrets',
  },
  {
    value: 'msgraph',
    label: 'Microsoft Graph',
    says: 'Make up a clientState, for the subscription and here. The address is its notificationUrl; the validation is answered.',
    token: 'clientState',
  },
  {
    value: 'monday',
    label: 'monday.com',
    says: 'The address is the URL of the webhook; its check is answered. Webhooks of an app are signed: its signing secret goes here. Those of a board are not: leave it empty.',
    secrets: 'Signing secrets',
  },
  {
    value: 'twilio',
    label: 'Twilio',
    says: 'The address is the webhook of the number or service. The auth token of the account goes here.',
    secrets: 'Auth tokens',
  },
  {
    value: 'calendly',
    label: 'Calendly',
    says: 'The signing key that the webhook subscription was made with goes here.',
    secrets: 'Signing keys',
  },
  {
    value: 'paddle',
    label: 'Paddle',
    says: 'Developer tools → Notifications: the address is the URL, and the secret key of the destination goes here.',
    secrets: 'Secret keys',
  },
  {
    value: 'hmac',
    label: 'Another signature (HMAC)',
    says: 'Describe what the documentation of the sender says about its signature.',
    secrets: 'Secrets',
  },
  { value: 'token', label: 'A token in a header of its own', says: 'The sender is given both.', token: 'Token' },
  { value: 'bearer', label: 'A token (Authorization: Bearer)', says: 'The sender is given it.', token: 'Token' },
  { value: 'basic', label: 'User name and password', says: 'The sender is given both, for HTTP Basic.' },
  { value: 'none', label: 'The address alone', says: 'Whoever knows the address can send.' },
];

export const senderOf = (type: VerifierType): Sender =>
  SENDERS.find(({ value }) => value === type) ?? (SENDERS[0] as Sender);
