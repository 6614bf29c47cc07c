import { createParamDecorator, Inject, Injectable, type ExecutionContext, type PipeTransform } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { ClientAddress } from '@weft/identity';
import type { FastifyRequest } from 'fastify';

/** Where a request came from, for session records and the audit log. */
export interface RequestOrigin {
  /** The client's address: the peer's, or the one that a trusted proxy reports. */
  readonly address: string;
  readonly userAgent: string;
  readonly requestId: string;
}

@Injectable()
export class OriginPipe implements PipeTransform<FastifyRequest, RequestOrigin> {
  private readonly clientAddress: ClientAddress;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.clientAddress = new ClientAddress(settings.server.trustProxy);
  }

  transform(request: FastifyRequest): RequestOrigin {
    return {
      address: this.clientAddress.of(request.ip, request.headers['x-forwarded-for']),
      userAgent: request.headers['user-agent'] ?? '',
      requestId: request.id,
    };
  }
}

const Request = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  context.switchToHttp().getRequest<FastifyRequest>(),
);

/** `@Origin() origin: RequestOrigin` */
export function Origin(): ParameterDecorator {
  return Request(OriginPipe);
}
