/** How requests and deliveries are signed with HMAC. */
import { z } from 'zod';

export const hmacAlgorithm = z.enum(['sha1', 'sha256', 'sha512']);
export const hmacEncoding = z.enum(['hex', 'base64', 'base64url']);

export const headerName = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of a header');
