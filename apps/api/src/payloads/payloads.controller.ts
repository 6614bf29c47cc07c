import { Controller, Get, HttpCode, Param, Post, Query, Req, Res, StreamableFile } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation, ApiTags } from '@nestjs/swagger';
import { atLeast, flow, scopes, specialist, type Principal } from '@weft/access';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPaths } from '../http/api-paths.js';
import { contentTypeOf, UPLOADS } from '../http/raw-body.js';
import { Refuses } from '../http/refuses.js';
import { AnswersCreated, AnswersText, bytes } from '../http/schema.js';
import { attachment, ATTACHMENT_HEADERS } from './attachment.js';
import { DownloadsService } from './downloads.service.js';
import { UploadQuery } from './upload.requests.js';
import { uploadSchema, type UploadView } from './upload.view.js';
import { UploadsService } from './uploads.service.js';

@ApiTags('Files')
@Controller(apiPaths(UPLOADS))
export class PayloadsController {
  constructor(
    private readonly uploads: UploadsService,
    private readonly downloads: DownloadsService,
  ) {}

  @Post()
  @Requires([atLeast('executor'), specialist('integration_manager')], scopes('api', 'api:plays', 'flow:execute'))
  @HttpCode(201)
  @Refuses('body_too_large', 'too_many_uploads', 'uploads_full', 'storage_full')
  @ApiOperation({ summary: 'Upload a file, or large args, for runs to refer to' })
  @ApiConsumes('application/octet-stream', 'multipart/form-data')
  @ApiBody({
    required: false,
    description: 'The file: up to 64 MB as it is, of any `Content-Type`; or a form with this one part.',
    schema: bytes,
  })
  @AnswersCreated(uploadSchema, 'Stored.')
  async upload(
    @Caller() caller: Principal,
    @Query() { filename }: UploadQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<UploadView> {
    const { raw, headers } = request;
    const uploaded = await this.uploads.take(caller, {
      body: raw,
      announced: headers['content-length'] === undefined ? null : Number(headers['content-length']),
      contentType: contentTypeOf(request),
      filename,
    });
    reply.header('location', uploaded.$ref);
    return uploaded;
  }

  @Get(':id')
  @Requires(flow('read'), scopes('api', 'api:read', 'api:plays', 'flow:execute'))
  @ApiOperation({ summary: 'Download a file: an upload of your own, or one of a play that you may read' })
  @AnswersText('application/octet-stream', 'The bytes, streamed, to be saved.', 'Content-Disposition')
  async download(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const file = await this.downloads.open(caller, id);
    reply.headers({ ...ATTACHMENT_HEADERS, 'content-disposition': attachment(file.filename) });
    const options = { type: ATTACHMENT_HEADERS['content-type'], length: file.bytes };
    return new StreamableFile(Readable.from(file.read()), options);
  }
}
