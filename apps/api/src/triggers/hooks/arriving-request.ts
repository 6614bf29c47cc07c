import type { FastifyReply, FastifyRequest } from 'fastify';
import { contentTypeOf } from '../../http/raw-body.js';
import { ACCEPTED_CODINGS, codingOf, type ArrivingBytes } from './arriving-body.js';

/** The bytes of a request that nobody has read, and what they are. */
export function arrivingBytesOf(
  request: FastifyRequest,
  reply: FastifyReply,
): ArrivingBytes & { readonly contentType: string | null } {
  const { 'content-length': length, 'content-encoding': coding } = request.headers;
  // what a sender may use instead of a coding that is refused: RFC 9110 §15.5.16
  if (coding !== undefined) reply.header('accept-encoding', ACCEPTED_CODINGS);
  return {
    stream: request.raw,
    announced: length === undefined ? null : Number(length),
    coding: codingOf(coding),
    contentType: contentTypeOf(request) ?? null,
  };
}
