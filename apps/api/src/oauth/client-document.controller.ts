import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { ClientDocument, OAuth } from '@weft/identity';
import { Public } from '../auth/requires.js';
import { Answers, listOf, named, object, text } from '../http/schema.js';
import { OAUTH } from './oauth.token.js';

const clientSchema = named(
  'OAuthClientDocument',
  object<ClientDocument>({
    ...{ client_id: text, client_name: text, client_uri: text, redirect_uris: listOf(text) },
    ...{ grant_types: listOf(text), response_types: listOf(text), token_endpoint_auth_method: text },
  }),
);

/** Who Weft is for authorization servers that read it from an address (OAuth Client ID Metadata Document). */
@ApiTags('Integrations')
@Controller()
export class ClientDocumentController {
  constructor(@Inject(OAUTH) private readonly oauth: Pick<OAuth, 'client'>) {}

  @Get('oauth/client.json')
  @Public()
  @ApiOperation({ summary: 'Describe this Weft as a client of authorization servers' })
  @Answers(200, clientSchema, 'The document; its address is the id of the client.')
  read(): ClientDocument {
    return this.oauth.client;
  }
}
